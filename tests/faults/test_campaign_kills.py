"""A campaign whose workers and coordinator are killed: nothing is staged or applied twice."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from resolve import SqliteStore
from tests.support import REPOSITORY
from tests.support.faults.campaigns import Generated, alive, children, harass
from tests.support.patience import until

APPLY = ("apply", "--reason", "t")


def once_staged(campaign: Generated) -> None:
    """Every repository has exactly one action, which is pending."""
    stores = [path for path in campaign.state.glob("*/state.db") if path.parent.name != "campaigns"]
    assert len(stores) == len(campaign.roots)
    for path in stores:
        with SqliteStore(path) as store:
            found = store.select(
                ("pending", "applying", "applied", "discarded", "superseded", "lost")
            )
        assert [action.state for action in found] == ["pending"]


def once_applied(campaign: Generated) -> None:
    assert campaign.texts() == [f"old(f({n}))\n" for n in range(len(campaign.roots))]
    assert {row["state"] for row in campaign.rows()} == {"applied"}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("size", "kills", "seconds"), [(8, (2, 3), (2.0, 1.2)), (200, (8, 12), (9.0, 6.0))]
)
def test_killed_workers_and_coordinators_on_this_machine(
    tmp_path: Path, size: int, kills: tuple[int, int], seconds: tuple[float, float]
) -> None:
    campaign = Generated(tmp_path, size)
    harass(campaign, ("--jobs", "2"), kills=kills[0], seconds=seconds[0], seed=size)
    once_staged(campaign)
    harass(campaign, APPLY, kills=kills[1], seconds=seconds[1], seed=size + 1)
    once_applied(campaign)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_repositories_on_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    campaign = Generated(tmp_path, 200)
    with cluster(tmp_path) as address:
        harass(campaign, ("--scheduler", address), kills=5, seconds=15.0, seed=5)
    once_staged(campaign)
    harass(campaign, APPLY, kills=6, seconds=6.0, seed=6)
    once_applied(campaign)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_killed_dask_worker_costs_nothing(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    campaign = Generated(tmp_path, 30)
    with cluster(tmp_path) as address:
        running = campaign.start("--scheduler", address)
        while not any((campaign.state / "campaigns").glob("*/state.db")):
            time.sleep(0.05)
        time.sleep(3)
        _workers[0].kill()
        assert running.wait() == 0, (tmp_path / "log").read_text()
    once_staged(campaign)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_workers_of_a_local_cluster_are_killed_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask's own cluster starts each of them anew; what was staged is not staged twice."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    campaign, kills = Generated(tmp_path, 30), 0
    options = {"n_workers": 2, "threads_per_worker": 1, "local_directory": str(tmp_path)}
    with distributed.LocalCluster(dashboard_address=None, **options) as cluster:
        running = campaign.start("--scheduler", cluster.scheduler_address)
        while running.poll() is None:
            time.sleep(1.5)
            worker = cluster.workers[kills % 2].pid
            if worker and kills < 6:
                os.kill(worker, signal.SIGKILL)
                kills += 1
        campaign.finish("--scheduler", cluster.scheduler_address)
    assert kills >= 2
    once_staged(campaign)
    campaign.finish(*APPLY)
    once_applied(campaign)


STEPS = """\
prove: {command: python3 -S m.py, baselineRuns: 1}
land: {branch: work}
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("back_end", ["here", "dask"])
def test_fifty_repositories_are_proved_and_landed(
    tmp_path: Path, back_end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "t")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "t@example.org")
    campaign = Generated(tmp_path, 50, STEPS)
    for number, root in enumerate(campaign.roots):
        (root / "m.py").write_text(f"old = f = lambda x: x\nassert old({number}) == {number}\n")
    campaign.commit()
    before = campaign.texts()
    if back_end == "here":
        harass(campaign, ("--jobs", "2"), kills=5, seconds=12.0, seed=7)
    else:
        pytest.importorskip("distributed")
        with cluster(tmp_path) as address:
            pids = [worker.pid for worker in _workers]
            harass(campaign, ("--scheduler", address), 5, 20.0, seed=8, elsewhere=pids)
    once_staged(campaign)
    assert {row["proof"] for row in campaign.rows()} == {"proven"}
    harass(campaign, ("land", "--reason", "t"), kills=6, seconds=5.0, seed=9)
    assert {(row["state"], row["proof"]) for row in campaign.rows()} == {("landed", "proven")}
    assert campaign.texts() == before
    for number, root in enumerate(campaign.roots):
        shown = subprocess.run(
            ["git", "log", "-p", "--format=%B", "main..work"],
            cwd=root, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert shown.startswith("t\n\nold($A) → old(f($A))\n")
        assert shown.count("diff --git") == 1
        assert f"+assert old(f({number})) == {number}\n" in shown


@pytest.mark.slow
def test_workers_end_with_their_coordinator(tmp_path: Path) -> None:
    campaign = Generated(tmp_path, 1)
    for number in range(40):
        (campaign.roots[0] / f"large{number}.py").write_text("old(1)\n" + "a = [b, c]\n" * 20_000)
    running = campaign.start()
    workers = until(lambda: children(running.pid), running)
    running.kill()
    running.wait()
    until(lambda: not any(map(alive, workers)))


_workers: list["subprocess.Popen[bytes]"] = []


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A scheduler and two workers on loopback, as separate processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = _dask(folder, "scheduler", "--host", "127.0.0.1", "--port", str(port))
    options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    _workers[:] = [_dask(folder, "worker", address, *options) for _ in range(2)]
    try:
        _listening(port)
        yield address
    finally:
        for process in (*_workers, scheduler):
            process.kill()
            process.wait()


def _dask(folder: Path, *args: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "dask", *args, "--no-dashboard"]
    with open(folder / "dask.log", "ab") as log:
        env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        return subprocess.Popen(command, stdout=log, stderr=log, env=env)


def _listening(port: int) -> None:
    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(answers)
