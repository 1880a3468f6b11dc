"""Whether modules that import each other would still find what they take from each other.

A circle of imports works as long as every name is bound before another module takes it, and
that depends on which module is imported first. So the imports of the circle are followed as
Python runs them, once from each of its modules, before the change and after it.
"""

from collections.abc import Collection, Iterator

from astedit.semantic.move.import_cycles import ImportGraph
from astedit.semantic.move.import_steps import ImportStep


def too_early(before: ImportGraph, after: ImportGraph, path: str) -> str | None:
    """The first name that would be taken before it is bound, with its place; None if none is.

    Judged is the circle of the module at `path`, as it was and as it would be, with each module
    of it as the first import. What failed before the change may fail after it.
    """
    circle = before.circle(path) | after.circle(path)
    imported = set[str]()
    for first in sorted(circle, key=lambda each: (len(after.packages(each)), each)):
        if first in imported:
            continue
        start = _Importing(after, circle)
        why = start.of(first)
        if why is not None and _Importing(before, circle).of(first) is None:
            return f"{why} when {first} is imported first"
        if first.endswith("/__init__.py"):  # whatever is in it begins with the same imports
            imported |= {each for each in start.bound if first in after.packages(each)}
    return None


class _Importing:
    """The import of one module in a fresh interpreter, as far as a circle of modules goes.

    What lies outside the circle imports nothing of it, so it is not run.
    """

    def __init__(self, graph: ImportGraph, circle: Collection[str]) -> None:
        self._graph, self._circle = graph, circle
        self.bound: dict[str, set[str]] = {}
        self._running: set[str] = set()
        self._failure: str | None = None

    def of(self, first: str) -> str | None:
        """Why it fails; None if nothing is known to."""
        waiting = [iter([*self._graph.packages(first), first])]
        while waiting and self._failure is None:
            module = next(waiting[-1], None)
            if module is None:
                waiting.pop()
            elif module in self._circle and module not in self.bound:
                waiting.append(self._run(module))
        return self._failure

    def _run(self, path: str) -> Iterator[str]:
        """Runs a module; yields what must have been imported before it goes on."""
        bound = self.bound[path] = set[str]()
        self._running.add(path)
        for step in self._graph.steps(path):
            yield from step.modules
            if step.source in self._running and not step.guarded:
                self._take(path, step, step.source)
            if "*" in step.taken:
                bound |= self.bound.get(step.source or "", set())
            bound |= step.names
        self._running.remove(path)

    def _take(self, path: str, step: ImportStep, source: str) -> None:
        missing = set(step.taken) - self.bound[source] - {"*"}
        for later in self._graph.steps(source):
            if "__getattr__" in later.names:
                return
            for name in sorted(missing & later.names):
                place = f"{path}:{step.line} would take {name} from {source}"
                self._failure = f"{place} before line {later.line} binds it"
                return
