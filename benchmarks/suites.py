"""Published packages with their own tests, on which a change shows whether it is right."""

from dataclasses import dataclass

from benchmarks.packages import Package

PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Suite:
    """A package with tests: where its modules lie in the archive, and what pytest is given."""

    package: Package
    source: str
    name: str
    tests: tuple[str, ...]


SUITES = (
    Suite(Package("click", "8.5.1", "sdist"), "src", "click", ("tests",)),
    Suite(Package("toolz", "1.2.0", "sdist"), ".", "toolz", ("toolz",)),
    Suite(
        Package("more-itertools", "11.2.1", "sdist"),
        ".",
        "more_itertools",
        ("tests", "-k", "not PrimeFunction and not DiscreteFourier and not Concurrent"),
    ),
    Suite(Package("itsdangerous", "2.2.0", "sdist"), "src", "itsdangerous", ("tests",)),
    Suite(
        Package("packaging", "26.3", "sdist"),
        "src",
        "packaging",
        tuple(f"tests/test_{name}.py" for name in ("metadata", "requirements", "tags", "utils")),
    ),
    Suite(Package("jinja2", "3.1.6", "sdist"), "src", "jinja2", ("tests",)),
    Suite(Package("boltons", "25.0.0", "sdist"), ".", "boltons", ("--noconftest", "tests")),
    Suite(Package("tomlkit", "0.15.2", "sdist"), ".", "tomlkit", ("tests",)),
    Suite(Package("h11", "0.16.0", "sdist"), ".", "h11", ("h11",)),
    Suite(Package("pluggy", "1.7.0", "sdist"), "src", "pluggy", ("testing",)),
)
