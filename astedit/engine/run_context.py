"""How a run begins: git lists while the rest of the engine is imported, workers stand by.

Imports nothing heavy.
"""

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from astedit import git
from astedit.discover.discover import Discovery, Search
from astedit.engine.languages import documents, wanted
from astedit.errors import AstEditError, RequestError
from astedit.limits import ALONE_SIZE, Deadline
from astedit.model.request import EditRequest
from astedit.programs import cores
from astedit.workspace.root import Workspace, state_dir

if TYPE_CHECKING:
    from astedit.engine.resident import Resident
    from astedit.model.plan import Plan, PlanBase
    from astedit.workers.pool import Pool
    from astedit.workspace.config import Config


class Run(NamedTuple):
    """How a request is run. Nothing of it is part of the request, or is stored with a plan.

    `inline` is for one-shot commands, which may parse what is small in their own process;
    those of them that `fork` have copies of themselves for workers.
    `progress` is called with how many files have been looked at, of how many. `resident`
    keeps its workers for the next run. `state` is the directory where what was parsed to
    find a name is kept for the next time, if there is one. `config` is the configuration
    of the workspace, if it was read already.

    `staging.preview` fills in what the configuration says: `ignore` are patterns of files
    to leave out, `roots` the source roots, `codemods` the classes that the user (never a
    repository, never a request) has named, `jobs` how many processes may work at once.
    `base` is the pending action that the plan is to stand on, and `overlay` what files would
    hold then. `commands` are patterns of those that may be run again for a plan that came from
    one, `previewed` is the stored plan, known to be genuine, that this run has to give
    once more. `barred` are ranges of bytes, by path, that no edit of a cascade may touch.
    """

    want_hunks: bool = True
    jobs: int | None = None
    inline: bool = False
    fork: bool = False
    deadline: Deadline = Deadline()
    progress: Callable[[int, int], None] | None = None
    resident: "Resident | None" = None
    state: str | None = None
    config: "Config | None" = None
    ignore: Sequence[str] = ()
    roots: Sequence[str] = ()
    codemods: Mapping[str, str] = MappingProxyType({})
    base: "PlanBase | None" = None
    overlay: Mapping[str, bytes] = MappingProxyType({})
    commands: Sequence[str] = ()
    previewed: "Plan | None" = None
    barred: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({})

    def state_of(self, workspace: Workspace) -> str:
        """The directory of the workspace's state, also where only the configuration says."""
        from astedit.workspace.config import load  # most runs have it

        return self.state or state_dir(workspace, (self.config or load(workspace)).state_dir)


class Start(AbstractContextManager["Start"]):
    """A request's files being listed and its workers being started; a context manager.

    With `resident` its workers are used, and live on. `names` is the place, as
    `package.module:name`, of who resolves names where a rule asks; "": nobody does.
    """

    def __init__(
        self,
        request: EditRequest,
        workspace: Workspace,
        *,
        jobs: int | None,
        inline: bool,
        fork: bool = False,
        names: str,
        resident: "Resident | None" = None,
    ) -> None:
        endings = frozenset(suffix for row in wanted(request) for suffix in row.suffixes)
        endings |= frozenset(documents(request))
        kinds = [kind for kind in request.no_ignore if kind not in ("generated", "vendored")]
        self._hands, self._fork = hands(jobs), fork
        self.workspace = workspace
        self.inline = inline
        self.names = names
        known = None if request.language_globs else endings
        self.resident = resident
        listed = None
        if resident is not None:
            self.pool = resident.pool(workspace, self._hands)
            self._asked = repr((request.paths, sorted(kinds), known and sorted(known)))
            resident.begin(workspace, whole="." in request.paths)
            listed = resident.listing(self._asked)
        self.search = Search(
            workspace, request.paths, no_ignore=kinds, suffixes=known, known=listed
        )
        git.forget()  # what was begun and nobody asked for

    @cached_property
    def pool(self) -> "Pool":
        """The workers. Whoever looks at little needs none, and does not import what has them."""
        from astedit.workers.pool import Pool

        return Pool(self._hands, fds=(self.workspace.fd,), fork=self._fork)

    @property
    def checked(self) -> str | None:
        """How a resident found out what had changed, see `Stats`."""
        return None if self.resident is None else self.resident.checked

    def discover(
        self, globs: Sequence[str], ignore: Sequence[str], deadline: Deadline
    ) -> Discovery:
        """Waits for the listing; a resident keeps it."""
        discovery = self.search.finish(globs=globs, ignore=ignore, deadline=deadline)
        if self.resident is not None and self.search.listed is not None:
            self.resident.learn_listing(self._asked, self.search.listed)
        return discovery

    def size(self, path: str) -> int:
        """Bytes of a file, to weigh it by: 0 for one that is gone, whatever a link says."""
        try:
            return os.lstat(path, dir_fd=self.workspace.fd).st_size
        except OSError:
            return 0

    def __exit__(self, *error: object) -> None:
        self.search.close()
        if self.resident is not None:
            self.resident.end(self.workspace)
        elif "pool" in vars(self):
            self.pool.close()


def hands(jobs: int | None) -> int:
    """How many processes may work at once: what was asked, `ASTEDIT_JOBS`, or the cores."""
    asked = jobs if jobs is not None else os.environ.get("ASTEDIT_JOBS")
    if asked is None:
        return cores()
    try:
        count = int(asked)
    except ValueError:
        count = 0
    if count < 1:
        raise RequestError(f"The number of jobs must be at least 1, not {asked!r}.")
    return count


def is_one_small_file(workspace: Workspace, paths: Sequence[str]) -> bool:
    """Whether so little is asked for that starting a worker would be most of the work.

    The file may be anybody's: it is parsed for `INLINE_SECONDS` at most, and matched in up to
    so many levels, else in a worker. 80 KiB of the worst code take 240 MiB here all the same.
    """
    if len(paths) != 1:
        return False
    try:
        status = os.lstat(workspace.check(paths[0]), dir_fd=workspace.fd)
    except (OSError, AstEditError):  # whoever runs the request says what is wrong
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size < ALONE_SIZE
