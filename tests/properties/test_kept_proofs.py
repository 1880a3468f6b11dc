"""An edit that is spared a proof, as its shape was proved, is one that would have passed it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from astedit.rewrite.make.overlap import Rewrite
from astedit.rewrite.prove.kept_proofs import ProofShapes
from astedit.rewrite.prove.verify import Verification
from tests.support.engine_edit import edited, program
from tests.support.lists import rows
from tests.support.meaning.real_code import sources
from tests.support.substitution.tables import TABLES

OPS = rows(Path(__file__).with_suffix(".txt"))
PYTHON, SCRIPT, SLOW = OPS["python"], OPS["script"], pytest.mark.slow


@contextmanager
def all_proved() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProofShapes, "of", lambda _, puts, __: [None] * len(puts))
        patch.setattr(Rewrite, "keeps_layouts", False)
        yield


def compared(language: str, text: str, op: tuple[str, str]) -> None:
    kept, of_kept = edited(language, text, op)
    with all_proved():
        whole, of_whole = edited(language, text, op)
    assert kept == whole, op
    assert of_kept.blocked == of_whole.blocked, op


def spared(language: str, op: tuple[str, str]) -> int:
    compiled, _ = program(language, op)
    rewrites = [one.rewrite for one in compiled.ops if one.rewrite is not None]
    assert not any(rewrite.proofs.disproved for rewrite in rewrites), op
    return sum(rewrite.proofs.spared for rewrite in rewrites)


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=SLOW) for n in range(2, 22))])
def test_real_code_comes_out_as_if_each_edit_were_proved(seed: int) -> None:
    random, files = Random(seed), 20 if seed > 1 else 8  # the first is for every day
    for text in sources(random, files):
        for op in random.sample(PYTHON, 3):
            compared("python", text, op)
    assert sum(spared("python", op) for op in PYTHON) > files


@pytest.mark.parametrize(("seed", "cells"), [(1, 20), pytest.param(2, 200, marks=SLOW)])
@pytest.mark.parametrize("language", ["typescript", "tsx"])
def test_operands_in_operands_come_out_so_too(language: str, seed: int, cells: int) -> None:
    """Operands in templates in operands, in surroundings: what a shape leaves out differs."""
    table, random = TABLES[language], Random(seed)
    head, tail = table.frame.split("…")
    for op in SCRIPT:
        statements = []
        for _ in range(cells):
            inner = random.choice(table.templates).replace("$A", random.choice(table.operands))
            operand = random.choice((f"g({inner})", f"[{inner}]", inner, f"a + {inner}"))
            wrapped = op[0].replace("$$$A", operand).replace("$F", "f")
            for name in "ABC":
                wrapped = wrapped.replace(f"${name}", operand)
            statements.append(random.choice(table.surroundings).replace("…", wrapped))
        good = [one for one in statements if _parses(language, f"{head}{one}{tail}")]
        compared(language, "".join(f"{head}{one}{tail}" for one in good), op)
    assert sum(spared(language, op) for op in SCRIPT)


def _parses(language: str, text: str) -> bool:
    parser = program(language, SCRIPT[0])[0].grammar.parser()
    return not parser.parse(text.encode()).root_node.has_error


def test_edits_of_one_shape_have_one_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    fault = Verification.fault

    def counted(self: Verification, places: list[int]) -> object:
        asked.append(len(places))
        return fault(self, places)

    monkeypatch.setattr(Verification, "fault", counted)
    one = "    if a{0}:\n        return await g{0}(k=b, l=h(k=c))\n"
    text = "async def f():\n" + "".join(map(one.format, range(300)))
    after, data = edited("python", text, ("return $A", "return bool($A)"))
    assert after.count("return bool(await g") == len(data.edits) == 300
    assert asked == [1 + 299 // 64]  # one in so many is proved all the same
    assert edited("python", text, ("return $A", "return bool($A)"))[0] == after
    assert sum(asked) < 12
    asked.clear()
    after, _ = edited("python", "g(a + b)\ng(a and b)\ng(a == b)\n", ("g($A)", "-$A.c"))
    assert (after, asked) == ("-(a + b).c\n-(a and b).c\n-(a == b).c\n", [3, 3, 3])


def test_what_brackets_mend_is_mended_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"x = g(a{number} + b) * c\n" for number in range(40)]
    op = ("g($A)", "h * $A")
    edited("python", "".join(lines), op)
    monkeypatch.setattr(Verification, "fault", None)  # is not asked again
    assert edited("python", lines[7], op)[0] == "x = h * (a7 + b) * c\n"


def test_a_proof_that_does_not_hold_is_given_up() -> None:
    op = ("k($A)", "$A.y")
    edited("python", "x = k(a + b)\n", op)
    proofs = program("python", op)[0].ops[0].rewrite.proofs
    proofs._proved = dict.fromkeys(proofs._proved, frozenset())  # as if no brackets were needed
    after, _ = edited("python", "".join(f"x = k(a + b{number})\n" for number in range(70)), op)
    assert proofs.disproved
    assert after == "".join(f"x = (a + b{number}).y\n" for number in range(70))


def test_what_the_compiler_could_not_look_at_proves_nothing() -> None:
    op, later = ("q($A, $B)", "q($B, $A)"), "q(a, k=1)\n"
    after, _ = edited("python", f"print {later}{later}", op)
    assert after == f"print q(k=1, a)\n{later}"  # a statement that is read as it is stays so
    assert edited("python", later, op)[0] == later
    assert "e from" in edited("python", "print 1\nraise e\n", ("raise $E", "raise $E from x"))[0]
    assert not program("python", op)[0].ops[0].rewrite.proofs.disproved


@pytest.mark.parametrize(
    "row", [*(("python", *row) for row in OPS["unlike"]), *OPS["unlike in scripts"]]
)
def test_what_no_edge_shows_is_no_part_of_a_shape(row: tuple[str, ...]) -> None:
    language, pattern, out, *texts = row
    for text in [*texts, *texts]:
        compared(language, f"{text}\n", (pattern, out))
    assert not program(language, (pattern, out))[0].ops[0].rewrite.proofs.disproved
