"""What the pages for contributors name is there: files, packages, make targets, words."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    "CONTRIBUTING.md",
    *(
        f"docs/development/{name}.md"
        for name in ("architecture", "glossary", "native-core", "recipes", "rewriting")
    ),
]
_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w-]+\.\w+)?)`")
_CLASS = re.compile(r"`([A-Z]\w+)` in `([\w/]+\.py)`")
ROOTS = ("", "astedit", "astedit/rewrite", "resolve")


def exists(path: str) -> bool:
    return any((REPOSITORY / root / path).exists() for root in ROOTS)


@pytest.mark.parametrize("page", PAGES)
def test_paths_that_a_page_names_exist(page: str) -> None:
    named = _PATH.findall((REPOSITORY / page).read_text())
    assert len(named) > 3
    made_later = ("dist/", "tests/.corpora/", "fixtures/rewrite/<language>/")
    assert [path for path in named if not exists(path) and path not in made_later] == []


def test_every_question_about_a_rewrite_has_its_place_and_its_fixture() -> None:
    text = (REPOSITORY / "docs/development/rewriting.md").read_text()
    rows = re.findall(r"^\| [A-Z].+\? \| `([\w/]+\.py)`(.*) \| ([\w-]+) \|$", text, re.MULTILINE)
    assert len(rows) > 12
    for path, names, fixture in rows:
        code = (REPOSITORY / "astedit/rewrite" / path).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"(?:def|class) {name}\b", code), (path, name)
        assert (REPOSITORY / f"fixtures/rewrite/python/{fixture}.txt").exists(), fixture


def test_classes_that_the_glossary_names_exist() -> None:
    named = _CLASS.findall((REPOSITORY / "docs/development/glossary.md").read_text())
    assert len(named) >= 3
    for name, path in named:
        file = next(
            REPOSITORY / root / path for root in ROOTS if (REPOSITORY / root / path).exists()
        )
        assert f"class {name}" in file.read_text()


def test_every_make_target_is_explained() -> None:
    targets = re.search(r"^\.PHONY: (.+)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    assert [name for name in targets[1].split() if f"`make {name}`" not in text] == []


def test_every_package_is_in_the_picture() -> None:
    text = (REPOSITORY / "docs/development/architecture.md").read_text()
    packages = [path.parent.name for path in sorted((REPOSITORY / "astedit").glob("*/__init__.py"))]
    assert len(packages) > 15
    assert [name for name in packages if f"`astedit/{name}/`" not in text] == []
    assert "`resolve/`" in text


def test_the_glossary_is_in_order() -> None:
    text = (REPOSITORY / "docs/development/glossary.md").read_text()
    words = re.findall(r"^\| ([a-z][\w ,-]+) \|", text, re.MULTILINE)[1:]
    assert len(words) > 40
    assert words == sorted(words)
