"""Renames of public names in published packages, and what the packages' own tests say then.

The table of docs/names.md, to be run again: five packages at pinned versions, of each a
function, a class, a method and an attribute (and some whose tests fail, with the reason).
"""

from dataclasses import dataclass

from benchmarks.packages import Package


@dataclass(frozen=True, slots=True)
class Rename:
    """One rename. `fails` is how many tests fail because of it, `why` what no tool can follow."""

    kind: str
    symbol: str
    new: str
    fails: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """A package with its tests, which need what `needs` names beside pytest."""

    package: Package
    tests: str
    renames: tuple[Rename, ...]
    needs: tuple[str, ...] = ()


STRING = "a test runs code that is written in bytes"
SHOWN = "a test compares the `repr`"
PICKLE = "stored pickles hold the name"

SUITES = (
    Suite(
        Package("click", "8.5.1", "sdist"),
        "tests",
        (
            Rename("function", "src/click/termui.py::secho", "styled_echo"),
            Rename("class", "src/click/core.py::Context", "RunContext"),
            Rename("method", "src/click/core.py::Context.invoke", "call_command"),
            Rename("attribute", "src/click/core.py::Command.callback", "function"),
            Rename("function", "src/click/utils.py::echo", "say", 1, STRING),
            Rename("class", "src/click/core.py::Group", "CommandGroup", 1, SHOWN),
        ),
    ),
    Suite(
        Package("toolz", "1.2.0", "sdist"),
        "toolz",
        (
            Rename("function", "toolz/itertoolz.py::first", "head"),
            Rename("class", "toolz/functoolz.py::juxt", "Juxtaposed"),
            Rename("method", "toolz/functoolz.py::curry.bind", "bound"),
            Rename("attribute", "toolz/functoolz.py::Compose.funcs", "steps"),
            Rename(
                "function",
                "toolz/itertoolz.py::groupby",
                "group_by",
                1,
                "a test wants a name in `toolz.curried` for each of `toolz`",
            ),
            Rename("class", "toolz/functoolz.py::Compose", "Composition", 1, SHOWN),
            Rename(
                "attribute",
                "toolz/functoolz.py::Compose.first",
                "innermost",
                1,
                "`attrgetter` with the name in a string",
            ),
            Rename(
                "attribute",
                "toolz/functoolz.py::excepts.handler",
                "on_error",
                1,
                "the name in a format's field",
            ),
        ),
    ),
    Suite(
        Package("more-itertools", "11.2.1", "sdist"),
        "tests",
        (
            Rename("function", "more_itertools/more.py::chunked", "in_chunks"),
            Rename("class", "more_itertools/more.py::peekable", "Peeker"),
            Rename("method", "more_itertools/more.py::seekable.relative_seek", "move_by"),
            Rename("attribute", "more_itertools/more.py::time_limited.timed_out", "expired"),
            Rename(
                "method",
                "more_itertools/more.py::peekable.peek",
                "look",
                2,
                "one test runs over `peekable` and `seekable`, and both have a `peek`",
            ),
        ),
        needs=("pytest-timeout",),
    ),
    Suite(
        Package("itsdangerous", "2.2.0", "sdist"),
        "tests",
        (
            Rename("function", "src/itsdangerous/encoding.py::want_bytes", "as_bytes"),
            Rename("class", "src/itsdangerous/signer.py::Signer", "Sealer"),
            Rename("method", "src/itsdangerous/serializer.py::Serializer.dumps", "dump_text"),
            Rename("attribute", "src/itsdangerous/signer.py::Signer.sep", "separator"),
        ),
        needs=("freezegun",),
    ),
    Suite(
        Package("packaging", "26.3", "sdist"),
        "tests",
        (
            Rename("function", "src/packaging/utils.py::canonicalize_name", "normal_name"),
            Rename("class", "src/packaging/metadata.py::Metadata", "CoreMetadata"),
            Rename("method", "src/packaging/markers.py::Marker.evaluate", "holds"),
            Rename("attribute", "src/packaging/metadata.py::InvalidMetadata.field", "at_field"),
            Rename("property", "src/packaging/version.py::Version.is_prerelease", "is_preview"),
            Rename("class", "src/packaging/tags.py::Tag", "Label", 3, PICKLE),
            Rename("attribute", "src/packaging/requirements.py::Requirement.specifier", "wanted", 4,
             PICKLE),
        ),
        needs=("pretend", "hypothesis", "tomli_w"),
    ),
)  # fmt: skip
