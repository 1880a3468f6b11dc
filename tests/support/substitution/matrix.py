"""Makes the cells of a matrix, edits them, and judges what comes out by the parser's trees."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.support.engine_edit import edited, program
from tests.support.substitution.tables import TABLES, Table

HERE = Path(__file__).parent
_CALL = "qq"  # in whose place a template is put


class Parser(NamedTuple):
    """What prints trees, started in a folder that `prepared` has made ready."""

    command: tuple[str, ...]
    needs: tuple[str, ...]  # programs
    npm: tuple[str, ...] = ()


_CRATES = Path("/usr/share/cargo/registry")  # of Debian's librust-syn-dev
_CARGO = """
[package]
name = "trees"
version = "0.0.0"
edition = "2021"
[dependencies]
syn = {{ path = "{syn}", features = ["full", "extra-traits", "visit-mut"] }}
"""
_SOURCES = f"""
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "{_CRATES}"
"""

PARSERS = {
    "go": Parser(("go", "run", str(HERE / "trees.go")), ("go",)),
    "java": Parser(("java", str(HERE / "Trees.java")), ("java",)),
    "typescript": Parser(("node", "trees.js", "ts"), ("node", "npm"), ("typescript@5",)),
    "tsx": Parser(("node", "trees.js", "tsx"), ("node", "npm"), ("typescript@5",)),
    "rust": Parser(("target/release/trees",), ("cargo",)),
    "ruby": Parser(("ruby", str(HERE / "trees.rb")), ("ruby",)),
    "php": Parser(("php", str(HERE / "trees.php")), ("php",)),
}


class Cell(NamedTuple):
    """An operand in a template in a surrounding."""

    operand: str
    template: str
    place: str

    def source(self) -> str:
        return self.place.replace("…", f"{_CALL}({self.operand})")

    def meanings(self) -> Iterator[str]:
        """What is meant, with as many brackets as the place takes."""
        for operand in (f"({self.operand})", self.operand):
            made = self.template.replace("$A", operand)
            yield self.place.replace("…", f"({made})")
            yield self.place.replace("…", made)


@dataclass
class Tally:
    """Cells by what became of them; `texts` shows those that are not as they should be."""

    counts: Counter[str] = field(default_factory=Counter)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def add(self, verdict: str, text: str) -> None:
        self.counts[verdict] += 1
        self.texts.setdefault(verdict, []).append(text)


def trees(parser: Parser, folder: Path, sources: Sequence[str]) -> list[str]:
    """The tree of each source; empty where the parser refuses it."""
    program, *arguments = parser.command
    path = str(folder / program) if "/" in program and not program.startswith("/") else program
    text = "\0".join(sources).encode()
    done = subprocess.run([path, *arguments], cwd=folder, input=text, capture_output=True)
    assert done.returncode == 0, done.stderr[-500:]
    out = done.stdout.decode().split("\0")
    assert len(out) == len(sources)
    return out


def prepared(parser: Parser, folder: Path) -> str:
    """Why a parser cannot be asked; empty if it can."""
    missing = [name for name in parser.needs if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if parser.npm:
        shutil.copy(HERE / "trees.js", folder)
        return _done(folder, "npm", "install", "--silent", *parser.npm)
    return _built(folder) if "cargo" in parser.needs else ""


def _built(folder: Path) -> str:
    if not (crates := sorted(_CRATES.glob("syn-1.*"))):
        return "not installed: librust-syn-dev"
    for name, text in (("Cargo.toml", _CARGO.format(syn=crates[0])), (".cargo/config", _SOURCES)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "src").mkdir()
    shutil.copy(HERE / "trees.rs", folder / "src" / "main.rs")
    return _done(folder, "cargo", "build", "--offline", "--release", "--quiet")


def _done(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr[-200:] or "it failed" if done.returncode else ""


def measured(language: str, parser: Parser, folder: Path, seed: int, most: int) -> Tally:
    """Some cells of a language, of those that its parser and ours can read."""
    table, tally = TABLES[language], Tally()
    cells = [
        Cell(operand, template, place)
        for template in table.templates
        for place in table.surroundings
        for operand in table.operands
    ]
    cells = sorted(Random(seed).sample(cells, min(most, len(cells))), key=_template)
    sources = {cell.source(): "" for cell in cells}
    read = trees(parser, folder, [_whole(table, [source]) for source in sources])
    grammar = program(language, (f"{_CALL}($A)", "$A"))[0].grammar.parser()
    usable = {
        source
        for source, tree in zip(sources, read, strict=True)
        if tree and not grammar.parse(_whole(table, [source]).encode()).root_node.has_error
    }
    cells = [cell for cell in cells if cell.source() in usable]
    results = [
        text
        for template in sorted(table.templates)
        for text in _edited(language, table, template, cells)
    ]
    after = trees(parser, folder, [_whole(table, [text]) for text in results])
    meanings = [_whole(table, [text]) for cell in cells for text in cell.meanings()]
    meant = trees(parser, folder, meanings)
    for number, (cell, text, tree) in enumerate(zip(cells, results, after, strict=True)):
        tally.add(
            _verdict(cell, text, tree, meant[number * 4 : number * 4 + 4]),
            f"{cell.template} | {cell.source()} | {text}",
        )
    return tally


def _template(cell: Cell) -> str:
    return cell.template


def _verdict(cell: Cell, text: str, tree: str, meant: Sequence[str]) -> str:
    """Without brackets around the whole it may be bound with what stands beside it."""
    if text == cell.source():
        return "blocked needlessly" if meant[0] or meant[2] else "blocked rightly"
    if not tree:
        return "does not parse" if any(meant) else "refused as meant"
    return "right" if tree == next(filter(None, meant), "") else "wrong"


def _whole(table: Table, statements: Sequence[str], mark: str = "") -> str:
    """A file with these statements, each in a function of its own."""
    functions = mark.join(table.frame.replace("…", statement) for statement in statements)
    return f"{table.head}{functions}{table.tail}"


def _edited(language: str, table: Table, template: str, cells: Sequence[Cell]) -> list[str]:
    """The statements of the cells with a template, after an edit of a file that has them all."""
    own = [cell.source() for cell in cells if cell.template == template]
    mark = "# ~\n" if language == "ruby" else "// ~\n"
    after, _ = edited(language, _whole(table, own, mark), (f"{_CALL}($A)", template))
    head, tail = table.frame.split("…")
    parts = after.removeprefix(table.head).removesuffix(table.tail).split(mark)
    assert len(parts) == len(own)
    return [part.removeprefix(head).removesuffix(tail) for part in parts]
