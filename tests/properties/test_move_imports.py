"""After a move every module can be imported first, if it could be before: asked of Python."""

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import astedit
from astedit.errors import PreconditionError

MODULES = {"p/__init__.py": "p", "p/a.py": "p.a", "p/b.py": "p.b", "p/c.py": "p.c", "d.py": "d"}
_SEEDS = range(20_000, 20_150)


def _tree(draw: random.Random) -> dict[str, str]:
    """Five modules with two functions each and imports in every form, many in circles."""
    functions = {f"{name}{i}": path for path, name in zip(MODULES, "pabcd", strict=True)
                 for i in range(2)}  # fmt: skip
    return {path: _module(draw, path, functions) for path in MODULES}


def _module(draw: random.Random, path: str, functions: dict[str, str]) -> str:
    others = [each for each, owner in functions.items() if owner != path]
    imports = [
        _import(draw, each, functions[each]) for each in draw.sample(others, draw.randint(0, 3))
    ]
    parts = [line for line, _ in imports]
    for name in (each for each, owner in functions.items() if owner == path):
        needs = ", ".join(use for _, use in imports if draw.random() < 0.4)
        at = draw.randint(0, len(parts)) if draw.random() < 0.5 else len(parts)
        parts.insert(at, f"\n\ndef {name}():\n    return [{needs}]\n\n\n")
    return "".join(parts)


def _import(draw: random.Random, name: str, owner: str) -> tuple[str, str]:
    """A line that imports a function, and how it is spelled then."""
    package, _, module = MODULES[owner].rpartition(".")
    form = draw.randrange(4)
    if form == 0 and package:
        return f"from {package} import {module}\n", f"{module}.{name}"
    if form == 1:
        return f"import {MODULES[owner]}\n", f"{MODULES[owner]}.{name}"
    return f"from {MODULES[owner]} import {name}\n", name


def _importable(root: Path) -> Iterator[str]:
    """The modules that can be imported into an interpreter that has none of the others."""
    for path, name in MODULES.items():
        if (root / path).exists():
            _forget()
            try:
                importlib.import_module(name)
            except (ImportError, AttributeError):
                continue
            yield path


def _forget() -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] in ("d", "p")]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.mark.slow
def test_what_could_be_imported_can_be_after_a_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = refused = 0
    for seed in _SEEDS:
        draw = random.Random(seed)
        root = tmp_path / f"{seed}"
        for path, code in _tree(draw).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(code)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(root)
            if [*_importable(root)] == [*MODULES]:
                start, dest = draw.sample([*MODULES], 2)
                name = f"{MODULES[start][-1]}{draw.randrange(2)}"
                try:
                    with astedit.open(root, state_dir=tmp_path / f"{seed}-state") as work:
                        work.move([f"{start}::{name}"], dest).apply(reason="tried")
                except PreconditionError as error:
                    assert error.code in ("import_cycle", "self_import"), (seed, error)
                    refused += 1
                else:
                    left = [path for path in MODULES if (root / path).exists()]
                    assert [*_importable(root)] == left, seed
                    made += 1
            _forget()
    assert made > 30, (made, refused)
