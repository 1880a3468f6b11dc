"""Workers that crash, hang, starve or lie take down one task, never the run."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import LimitError
from astedit.limits import Cancelled, Deadline
from astedit.workers import worker
from astedit.workers.pool import Pool, TaskOutcome, WorkerError
from tests.support import REPOSITORY
from tests.support.forked_workers import children, really
from tests.support.lists import rows
from tests.support.patience import LAST, is_gone, until

ROWS = rows(Path(__file__).with_suffix(".txt"))

TARGET = "tests.support.misbehaving:prepare"


@pytest.fixture(autouse=True)
def no_child_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(worker, "spawn", really)  # each starts as it does for a user
    before = os.listdir("/proc/self/fd")
    yield
    assert children() == set()
    assert os.listdir("/proc/self/fd") == before


def results(
    tasks: list[tuple[Any, ...]], workers: int = 2, weight: int = 1, **options: Any
) -> dict[int, TaskOutcome]:
    """Runs the tasks, keyed by their place, and checks that each ends exactly once."""
    with Pool(workers, **options) as pool:
        pool.prepare(TARGET, "s")
        ended = list(pool.run(((i, weight, task) for i, task in enumerate(tasks)), Deadline()))
    assert sorted(key for key, _ in ended) == list(range(len(tasks)))
    return dict(ended)


def test_every_task_has_its_result() -> None:
    values: list[Any] = [None, 1, "text", b"bytes", ("a", (2, None)), "\udce9", [1], {"k": 2.5}]
    done = results([("echo", value) for value in values] * 50)
    assert [done[i].value for i in range(400)] == [("s", value) for value in values] * 50


@pytest.mark.parametrize(("task", "reason"), ROWS["a bad task fails alone"])
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_bad_task_fails_alone(task: tuple[Any, ...], reason: str, workers: int) -> None:
    good = [("echo", i) for i in range(40)]
    seconds = 0.5 if reason == "timeout" else LAST
    done = results([*good[:20], task, *good[20:]], workers, file_seconds=seconds, memory=1 << 29)
    assert done.pop(20) == TaskOutcome(None, reason)  # type: ignore[arg-type]
    assert sorted(outcome.value[1] for outcome in done.values()) == list(range(40))


def test_a_task_may_wait_for_the_processor_but_not_for_ever() -> None:
    assert results([("nap", 0.9)], 1, file_seconds=0.5)[0].failure is None
    assert results([("nap", 3600.0)], 1, file_seconds=0.05)[0].failure == "timeout"


def test_every_second_task_is_bad() -> None:
    done = results([("segfault",), ("echo", 1)] * 5)
    assert [done[i].failure for i in range(10)] == ["crashed", None] * 5


def test_a_kill_from_outside_is_the_out_of_memory_killer_s() -> None:
    with Pool(1) as pool:
        pool.prepare(TARGET, None)
        [(_, (pid, _))] = pool.run([("pid", 1, ("pid",))], Deadline())
        os.kill(pid, signal.SIGKILL)
        assert dict(pool.run([("pid", 1, ("nap", 0.0))], Deadline()))["pid"] != TaskOutcome(pid)
        running = pool.run([("who", 2, ("pid",)), ("nap", 1, ("nap", 3600.0))], Deadline())
        who, (pid, _) = next(running)
        os.kill(pid, signal.SIGKILL)
        assert (who, list(running)) == ("who", [("nap", TaskOutcome(None, "out_of_memory"))])


@pytest.mark.parametrize("task", ["raise", "unmarshallable"])
def test_a_bug_in_a_task_is_an_error_with_its_traceback(task: str) -> None:
    with pytest.raises(WorkerError, match=r"(?s)do_raise.*LookupError: a bug|unmarshallable"):
        results([("echo", 1), (task,), ("echo", 2)])


@pytest.mark.parametrize(
    ("target", "setup", "says"),
    [
        (TARGET, "bad setup", "ValueError: no such setup"),
        (TARGET, "dies", "exit status 7"),
        ("tests.support.misbehaving:missing", None, "AttributeError"),
        ("no.such.module:x", None, "ModuleNotFoundError"),
    ],
)
def test_a_setup_that_fails_is_an_error(target: str, setup: object, says: str) -> None:
    with Pool(2) as pool:
        pool.prepare(target, setup)
        with pytest.raises(WorkerError, match=says):
            list(pool.run([(1, 1, ("echo", 1))], Deadline()))


def test_what_a_task_prints_disturbs_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    assert {o.value for o in results([("chatter",)] * 9).values()} == {"said"}
    assert capfd.readouterr() == ("", "")


def test_frames_larger_than_a_pipe_pass_in_both_directions() -> None:
    done = results([("big", 3_000_000), ("length", b"y" * 5_000_000)] * 3, weight=1_000_000)
    assert [len(done[0].value), done[1].value] == [3_000_000, 5_000_000]


def test_descriptors_are_inherited_from_five_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"content")
    with (tmp_path / "a.txt").open() as file:
        assert results([("read", 5)], fds=(file.fileno(),))[0].value == b"content"


def test_workers_are_kept_between_runs_and_prepared_anew() -> None:
    with Pool(1) as pool:
        pool.start()
        pool.prepare(TARGET, "first")
        [(_, first)] = pool.run([(0, 1, ("pid",))], Deadline())
        pool.prepare(TARGET, "second")
        again = dict(pool.run([(0, 1, ("pid",)), (1, 1, ("echo", 1))], Deadline()))
        assert again == {0: first, 1: TaskOutcome(("second", 1))}


def test_the_caller_takes_part_but_not_in_what_is_large() -> None:
    here: list[int] = []

    def inline(task: tuple[str, int]) -> object:
        here.append(task[1])
        return ("here", task[1])

    with Pool(1) as pool:
        pool.prepare(TARGET, "there")
        tasks = [(i, 300_000 if i == 8 else i, ("echo", i)) for i in range(10)]
        done = dict(pool.run(tasks, Deadline(), inline=inline))
    assert {i for i, outcome in done.items() if outcome.value == ("here", i)} == set(here)
    assert {i for i, outcome in done.items() if outcome.value == ("there", i)} >= {8}
    assert sorted(done) == list(range(10))


def test_a_small_run_starts_no_worker() -> None:
    with Pool(2) as pool:
        pool.prepare(TARGET, "there")
        tasks = [(i, 4_000, ("echo", i)) for i in range(50)]
        done = dict(pool.run(tasks, Deadline(), inline=lambda task: ("here", task[1])))
        assert {outcome.value[0] for outcome in done.values()} == {"here"}
        assert children() == set()


def test_both_hands_work_at_once(tmp_path: Path) -> None:
    tasks = [("meet", str(tmp_path), 2)] * 2
    assert len({o.value for o in results(tasks, weight=1_000_000, file_seconds=LAST).values()}) == 2


class Signal:
    aborted = False


def test_cancelling_takes_effect_at_once() -> None:
    signal_ = Signal()
    with Pool(2, file_seconds=3600) as pool:
        pool.prepare(TARGET, None)
        tasks = [(0, 1 << 20, ("echo", 1)), (1, 1 << 18, ("loop",)), (2, 1 << 17, ("loop",))]
        running = pool.run(tasks, Deadline(signal=signal_))
        assert next(running)[0] == 0
        signal_.aborted = True
        with pytest.raises(Cancelled):
            next(running)
        [(_, outcome)] = pool.run([(0, 1, ("echo", 1))], Deadline())
        assert outcome.value == (None, 1)


def test_the_time_of_the_whole_call_runs_out() -> None:
    with Pool(1) as pool, pytest.raises(LimitError):
        pool.prepare(TARGET, None)
        list(pool.run([(0, 1, ("loop",))], Deadline(0.3)))


def test_an_iterator_closed_early_leaves_a_pool_that_works() -> None:
    with Pool(2) as pool:
        pool.prepare(TARGET, None)
        running = pool.run([(i, 1 << 20, ("echo", i)) for i in range(20)], Deadline())
        next(running)
        running.close()  # type: ignore[attr-defined]
        assert len(list(pool.run([(i, 1, ("echo", i)) for i in range(20)], Deadline()))) == 20


@pytest.mark.parametrize("spare", range(8))
def test_too_few_descriptors_end_the_run_and_leave_nothing(spare: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")[:-1]))
    filling = [os.open(os.devnull, os.O_RDONLY) for _ in range(highest)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(filling) + 1 + spare, hard))
    try:
        with Pool(1) as pool, pytest.raises(LimitError, match="Too many open files"):
            pool.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for file in filling:
            os.close(file)


def test_an_interrupt_of_a_worker_is_ignored() -> None:
    assert results([("interrupt",)])[0].value == "still here"


SCRIPT = f"""
import os, sys
sys.path.insert(0, {str(REPOSITORY)!r})
from astedit.workers import worker
from astedit.workers.pool import Pool
from astedit.limits import Deadline
from tests.support.forked_workers import children, really
print("main", flush=True)
pool = Pool(2, file_seconds=3600, fork={{fork}})
pool.prepare("tests.support.misbehaving:prepare", None)
tasks = [(i, (1 << 20) - i, task) for i, task in enumerate({{tasks}})]
for key, outcome in pool.run(tasks, Deadline()):
    print(outcome.value, flush=True)
"""


@pytest.mark.parametrize("fork", [False, True])
def test_a_script_without_a_main_guard_works(tmp_path: Path, fork: bool) -> None:
    (tmp_path / "script.py").write_text(SCRIPT.format(tasks=[("echo", 1)] * 3, fork=fork))
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout.split("\n"), done.stderr) == (["main", *["(None, 1)"] * 3, ""], "")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("task", [("loop",), ("nap", 3600.0)])
@pytest.mark.parametrize("fork", [False, True])
def test_no_worker_outlives_its_parent(
    how: signal.Signals, task: tuple[Any, ...], fork: bool
) -> None:
    script = SCRIPT.format(tasks=[("pid",), ("pid",), task, task], fork=fork)
    # Two workers, one at a time each: both are on the last task when their ids are known.
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "main\n"
        pids = {int(parent.stdout.readline()) for _ in range(2)}
        parent.send_signal(how)
        parent.wait()
    until(lambda: all(map(is_gone, pids)))


def test_the_current_directory_brings_no_code(tmp_path: Path) -> None:
    for name in ("astedit/__init__.py", "tree_sitter.py", "marshal.py", "fcntl.py", "resource.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('hostile code ran')")
    script = tmp_path.parent / "script.py"
    script.write_text(
        f"import sys; sys.path[:0] = [{str(REPOSITORY)!r}]\n"
        "from astedit.workers.pool import Pool\n"
        "from astedit.limits import Deadline\n"
        "import os\n"
        "sys.path[:0] = ['', '.', 'relative', os.getcwd()]\n"
        "with Pool(1) as pool:\n"
        "    pool.prepare('tests.support.misbehaving:prepare', None)\n"
        "    [(_, done)] = pool.run([(0, 1, ('world',))], Deadline())\n"
        "print(done.value)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": "x", "PYTHONHOME": ""}
    environment = {key: value for key, value in environment.items() if value}
    del environment["PYTHONPATH"]
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stderr == ""
    path, imported, files = eval(done.stdout)
    assert imported == str(REPOSITORY / "astedit" / "__init__.py")
    assert all(os.path.isabs(entry) for entry in path)
    assert str(tmp_path) not in path
    assert len(files) <= 6, "0 to 4, and the listing itself"


FORKING = f"""
import atexit, contextvars, os, signal, sys, threading
sys.path.insert(0, {str(REPOSITORY)!r})
from astedit.workers.pool import Pool
from astedit.limits import Deadline, parsing_within
from tests.support import misbehaving
sys.stdout.write("once ")  # which waits in a buffer that a copy must not write
atexit.register(lambda: print("the end"))
signal.signal(signal.SIGTERM, lambda *_: print("handled"))
kept = os.open("/", os.O_RDONLY)
if {{threads}}:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
misbehaving.FORKED = True
with Pool(1, fork=True, file_seconds=20) as pool, parsing_within(1.0):
    pool.prepare("tests.support.misbehaving:prepare", None)
    tasks = [(i, 9 - i, task) for i, task in enumerate([("state",), ("segfault",), ("raise",)])]
    try:
        for _, outcome in pool.run(tasks, Deadline()):
            print(outcome.failure or outcome.value, flush=True)
    except Exception as error:
        print(str(error).splitlines()[-1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked")
@pytest.mark.parametrize("threads", [False, True])
def test_a_copy_keeps_nothing_of_its_parent_but_what_is_imported(threads: bool) -> None:
    script = FORKING.format(threads=threads)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    state = (not threads, list(range(5)), True, None)
    assert done.stdout.splitlines() == [
        f"once {state}",
        "crashed",
        "LookupError: a bug in a task",
        "the end",
    ]
    assert done.stderr == ""
