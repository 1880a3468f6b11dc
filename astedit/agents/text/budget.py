"""How much a text costs a model, and text that is quoted from files.

No tokenizer is asked: the weight is an estimate that is never below what a public one
(o200k) counts by more than a fifth, on code, on other scripts and on random characters;
on ordinary code it is twice as much.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from astedit.agents.tools.specs import offered, spec
from astedit.errors import RequestError
from astedit.json_model import camel
from astedit.text import clipped, number
from resolve.visible import one_line, visible

LIMIT = 3_300  # weight of one text: under 4,000 tokens whatever it holds
_PIECES = re.compile(r"[ _.$/]?[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[ \t]+|\n|[^\x00-\x7f]+|.")
_LINE = 200  # characters of one quoted line
_NAME = 120  # characters of one file's name


def weight(text: str) -> int:
    """About how many tokens the text is, rather too many than too few."""
    return max(sum(map(_cost, _PIECES.findall(text))), len(text) // 2)


def _cost(piece: str) -> int:
    if not piece.isascii():
        return len(piece.encode("utf-8", "surrogatepass"))
    return 1 + (len(piece) - 1) // 3 if piece[-1].isalnum() else 1


class Budget:
    """What is left of a text's weight."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def fits(self, lines: Iterable[str]) -> bool:
        """Takes the lines off the budget if all of them fit, else none."""
        left = self.left
        for line in lines:
            left -= weight(line) + 1
            if left < 0:
                return False
        self.left = left
        return True

    def first(self, lines: Iterable[str]) -> list[str]:
        """As many of the lines, from the first on, as fit."""
        taken = []
        for line in lines:
            if not self.fits([line]):
                break
            taken.append(line)
        return taken

    @contextmanager
    def part(self, limit: int) -> "Iterator[Budget]":
        """A budget of at most `limit` for a part of the text; what it spends is spent here."""
        own = Budget(min(limit, self.left))
        before = own.left
        yield own
        self.left -= before - own.left


def quoted(text: str, mark: str = "") -> Iterator[str]:
    """The lines of a file's text, each behind `|`, nothing in them hidden."""
    for line in visible(text).removesuffix("\n").split("\n"):
        yield clipped(f"|{mark}{line}", _LINE)


def name(path: str) -> str:
    """A file's name on one line; of a long one the end."""
    shown = one_line(path)
    return shown if len(shown) <= _NAME else f"…{shown[-_NAME:]}"


_AGAIN = (
    'Call ast_edit again with the same arguments, or resolve with action "apply" and '
    'extra {"refresh": true} to preview the change again in its place.'
)
_NEXT = {  # the whole way on, where the hint of the error is for people or there is none
    "stale": _AGAIN,
    "other_version": _AGAIN,
    "nothing_pending": "Call ast_edit to preview a change first.",
    "unknown_action": "Call pending for the ids.",
    "needs_attention": "A person runs, on a terminal: astedit recover",
    "interrupted": "A person runs, on a terminal: astedit recover",
    "blocked": "A person runs, on a terminal: astedit recover",
    "already_resolved": "There is nothing left to do for it; call pending for what is left.",
    "superseded": "Call pending with the new id as target to read it, then resolve with that id.",
    "unknown_edit": "Call pending with this target for its files; edit ids are in its resource.",
    "limit_reached": "Raise maxFiles or maxReplacements, name fewer paths, or set allowPartial.",
    "incomplete": "Set allowPartial to stage the rest, or leave those files out with glob.",
    "unexpected_count": "Look at the matches with ast_grep, then call ast_edit again.",
    "busy": "Nothing was done; call again when the other apply has ended.",
    "not_found": "Call locate with the name, and pass the id it answers with.",
    "bad_config": "A person mends the configuration; the call itself was not looked at.",
    "io": "Tell the person: something on this machine is in the way, not your arguments.",
    "internal": "Tell the person: this is a fault of astedit, not of your arguments.",
}
_LANGUAGES = "Usual names work: python, typescript, tsx, cpp, go."
_WHOLE_ID = "Call pending for the ids, and pass the whole id as target."
_TOOLS = {"search": "`ast_grep`", "locate": "`locate`", "edit": "`ast_edit`", "show": "`pending`"}
_SPAN = re.compile(
    r"\s?`astedit explain[^`]*` shows [^.;]*(?P<explain>[.;])"
    r"|(?P<languages>(See )?`astedit languages`( lists the names and aliases)?[.;])"
    r"|`astedit (?P<command>\w+)[^`]*`"
    r"|`[^`]*`|(?<!\w)'[^']*'"  # quoted code, in which a flag is no flag
    r"|(?<![\w-])(?P<pattern>-p )|(?<![\w-])--(?P<flag>[a-z][a-z-]*)"
)


def failed_text(code: str, message: str, hint: str | None) -> str:
    """The text of an answer that is an error; `next:` begins its last line."""
    return f"error ({code}): {for_agents(message)}\n" + (f"next: {hint}\n" if hint else "")


def way_on(error: BaseException, code: str, tool: str) -> str:
    """What to call after this error of that tool."""
    if code in _NEXT:
        return _NEXT[code]
    if code == "ambiguous" and tool in ("pending", "resolve"):  # also of patterns and names
        return _WHOLE_ID
    hint = for_agents(getattr(error, "hint", None) or "")
    if hint.strip("."):
        return hint
    if isinstance(error, RequestError):
        what = "YAML" if code in ("bad_rule", "bad_yaml") else "arguments"
        return f"Change the {what} and call {tool} again."
    return "Call pending for what is staged."


def for_agents(text: str) -> str:
    """A hint for the command line, in the words of the tools: `--max-files` is `maxFiles`."""
    return _SPAN.sub(_reworded, text).removeprefix(". ").strip()


def _reworded(match: re.Match[str]) -> str:
    command, flag = match["command"], match["flag"]
    if match["explain"]:  # no tool; what it shows comes as hints by itself
        return "."
    if match["languages"]:
        return _LANGUAGES
    if tool := _TOOLS.get(command) or ("`refactor`" if command in offered() else None):
        return tool
    if match["pattern"]:
        return "pat "
    name = camel(flag.replace("-", "_")) if flag else None
    return f"`{name}`" if name in spec("ast_edit").schema["properties"] else match[0]


Counted = Sequence[tuple[str, int]]  # path, and how many of what is counted
_ROWS = (40, 30, 20, 12, 8, 4, 1)


def fitted(heading: str, files: Counted, budget: Budget, limit: int) -> list[str]:
    """The heading and every file counted, in as many lines as `limit` has room for.

    One line there always is, whatever it costs.
    """
    lines: list[str] = []
    with budget.part(limit) as own:
        for rows in _ROWS:
            lines = [heading, *tally(files, rows)]
            if own.fits(lines):
                break
    return lines


def tally(files: Counted, rows: int) -> list[str]:
    """At most `rows` lines in which every file is counted.

    Directories stand for their files only as far as needed, the deepest first; with very
    many directories at the top the last line stands for all that are left.
    """
    if len(files) <= rows:
        return [f"{count:,} {name(path)}" for path, count in files]
    groups = _grouped(files, 0)
    for depth in range(max(path.count("/") for path, _ in files), 0, -1):
        groups = _grouped(files, depth)
        if len(groups) <= rows:
            break
    ordered = sorted(groups.items(), key=lambda item: (-sum(item[1]), item[0]))
    most = rows if len(ordered) <= rows else rows - 1
    lines = [f"{sum(counts):,} in {_files(counts)} below {name(top)}" for top, counts in ordered]
    left = [count for _, counts in ordered[most:] for count in counts]
    return [*lines[:most], *([f"{sum(left):,} in {_files(left)} elsewhere"] if left else [])]


def _grouped(files: Counted, depth: int) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for path, count in files:
        groups.setdefault("/".join([*path.split("/")[:-1][:depth], ""]) or "./", []).append(count)
    return groups


def _files(counts: Sequence[int]) -> str:
    return number(len(counts), "file")
