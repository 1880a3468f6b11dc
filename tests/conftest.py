"""`pytest --accept`, and what a command runs in: an empty project, and its standard input.

`--accept` writes what the engine does into the fixtures; never in CI.
"""

import asyncio
import gc
import inspect
import io
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from astedit.explanation import places, unmatched
from astedit.review.ledger import ledger
from tests.support import REPOSITORY, forked_workers
from tests.support.project import Project

# Collecting makes a million objects that all live to the end: looking for garbage among them
# was a third of its time, in each of the two processes.
gc.disable()
# However busy the machine is, there is time to say why a pattern matches little.
unmatched.SECONDS = places._LEAST = ledger._EXPLAINING = 60.0
_MEMORY = "/dev/shm"
# What is tested runs where the test says, whatever resident its user has.
os.environ["ASTEDIT_RESIDENT"] = "0"


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)  # more often takes a twentieth of the time
    gc.enable()
    if not session.config.option.collectonly:
        forked_workers.start()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Sends one report of a test where six messages went: half a millisecond of each test."""
    if "PYTEST_XDIST_WORKER" not in os.environ or item.config.option.durations:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_runtest_setup() -> None:
    forked_workers.forget()


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept", action="store_true", help="rewrite the (after) parts of the fixtures"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--accept") and os.environ.get("CI"):
        raise pytest.UsageError("--accept is for people: it is refused where CI is set.")
    # Syncing a disk was a third of the time; what a power cut leaves is tested without one.
    if has_room(_MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", _MEMORY)
    # A shell starts what runs in the background (`make test &`) with Ctrl-C ignored, and a
    # command that is tested would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The default run draws the same examples every time, so more of them find no more; the
    # slow run draws new ones, and twice as many where a test does not say how many.
    # Neither minds how long one takes: that is the machine's other work, and no fault of ours.
    patient: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("repeatable", derandomize=True, max_examples=50, **patient)
    settings.register_profile("drawn", **patient)
    settings.load_profile("repeatable" if config.getoption("markexpr") == "not slow" else "drawn")


def has_room(place: str) -> bool:
    """Whether the directories of all tests can be there, and programs run in them."""
    try:
        room = os.statvfs(place)
    except OSError:
        return False
    runs = not room.f_flag & os.ST_NOEXEC and os.access(place, os.W_OK)
    return runs and room.f_bavail * room.f_frsize > 4 << 30


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Project:
    """An empty project that is the working directory, with its own state directory."""
    root = tmp_path / "project"
    root.mkdir()
    made = Project(root, capfdbinary)
    made.put("astedit.toml", "")
    monkeypatch.chdir(root)
    monkeypatch.setenv("ASTEDIT_STATE_DIR", str(made.state))
    paths = [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    for name in ("ASTEDIT_JOBS", "ASTEDIT_ACTOR", "ASTEDIT_POLICY", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Sets what standard input holds."""

    def give(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give
