"""A language server that does what its argument says, with nothing but the standard library."""

import json
import os
import sys
import time


def read() -> dict:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()) or not length:
        if not line and not length:
            sys.exit()
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))


def write(message: dict) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def edit(line: int, start: int, end: int, text: str) -> dict:
    place = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": place, "newText": text}


def answer(mode: str, uri: str, count: int) -> dict | None:
    """The edit for a rename of `total`, at columns 4 to 9 of the first line."""
    good = edit(0, 4, 9, "sum")
    root = uri.rpartition("/")[0]
    match mode:
        case "good":
            return {"changes": {uri: [good]}}
        case "more":
            return {"changes": {uri: [good], f"{root}/b.py": [edit(0, 0, 1, "sum")]}}
        case "both":
            return {"changes": {uri: [edit(0, 4, 7, "total"), edit(3, 0, 3, "total")]}}
        case "loading":
            return {"changes": {uri: [good, edit(3, 0, 5, "sum")][: 1 if count < 1 else 2]}}
        case "differs":
            return {"changes": {uri: [edit(0, 4, 9, f"sum{count}")]}}
        case "version":
            document = {"uri": uri, "version": 99}
            return {"documentChanges": [{"textDocument": document, "edits": [good]}]}
        case "host":
            return {"changes": {uri.replace("file://", "file://evil"): [good]}}
        case "outside":
            return {"changes": {"file:///etc/passwd": [good]}}
        case "above":
            return {"changes": {f"{root}/../x.py": [good]}}
        case "overlap":
            return {"changes": {uri: [good, edit(0, 5, 8, "x")]}}
        case "line":
            return {"changes": {uri: [edit(99, 0, 1, "x")]}}
        case "nothing":
            return None
        case "type":
            return {"changes": [1, 2]}
        case "files":
            new = {"kind": "create", "uri": f"{root}/new.py"}
            moved = {"kind": "rename", "oldUri": f"{root}/b.py", "newUri": f"{root}/c.py"}
            text = {
                "textDocument": {"uri": f"{root}/new.py", "version": None},
                "edits": [edit(0, 0, 0, "x = 1\n")],
            }
            return {
                "documentChanges": [new, moved, text, {"kind": "delete", "uri": f"{root}/d.py"}]
            }
        case _:
            raise AssertionError(mode)


def main(mode: str) -> None:
    count = 0
    while True:
        message = read()
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            write({"id": number, "result": {"capabilities": {"renameProvider": True}}})
        elif method == "shutdown":
            write({"id": number, "result": None})
        elif method == "exit":
            return
        elif method == "textDocument/rename":
            if mode == "dies":
                print("out of luck", file=sys.stderr, flush=True)
                os._exit(3)
            if mode == "hangs":
                time.sleep(600)
            if mode == "garbage":
                sys.stdout.buffer.write(b"Content-Length: 5\r\n\r\n{nope")
                sys.stdout.buffer.flush()
                continue
            if mode == "flood":
                sys.stdout.buffer.write(b"Content-Length: 99999999999\r\n\r\n")
                sys.stdout.buffer.flush()
                continue
            if mode == "refuses":
                write({"id": number, "error": {"code": -1, "message": "no, not that"}})
                continue
            result = answer(mode, message["params"]["textDocument"]["uri"], count)
            count += 1
            write({"id": number, "result": result})


if __name__ == "__main__":
    main(sys.argv[1])
