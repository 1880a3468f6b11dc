"""Which edits of one text are to blame where something is wrong with their result.

One bad edit costs itself: the set is halved until single edits remain, and all others are
made. Edits are numbers here; what is wrong with a set of them is the caller's to say.
"""

from collections.abc import Callable, Iterator, Sequence

from astedit.rewrite.fault import Fault

FaultOf = Callable[[Sequence[int]], Fault | None]


def culprits(edits: Sequence[int], look: FaultOf) -> dict[int, Fault]:
    """Those of the edits that must not be made, each with what is wrong with it.

    `look` says what is wrong with the result of some of the edits, in ascending order; it
    may blame some right away. Where all is right it is asked once.
    """
    everyone = list(edits)
    fault = look(everyone)
    if fault is None:
        return {}
    blamed = dict(_alone(everyone, fault, look))
    rest = [edit for edit in everyone if edit not in blamed]
    if rest and (not blamed or look(rest) is not None):
        blamed.update(_together(rest, look))
    for run in _runs(sorted(blamed)):
        together = sorted({*everyone} - {*blamed} | {*run})
        if len(run) > 1 and look(together) is None:  # halving parted what goes together
            blamed = {edit: fault for edit, fault in blamed.items() if edit not in run}
    return dict(sorted(blamed.items()))


def _runs(edits: Sequence[int]) -> list[list[int]]:
    """Neighbours among the edits, each run of them by itself."""
    runs: list[list[int]] = []
    for edit in edits:
        if runs and runs[-1][-1] == edit - 1:
            runs[-1].append(edit)
        else:
            runs.append([edit])
    return runs


def _alone(edits: list[int], fault: Fault, look: FaultOf) -> Iterator[tuple[int, Fault]]:
    """Those of a faulty set that are wrong without the help of others."""
    if fault.blamed:
        yield from fault.blamed.items()
        edits = [edit for edit in edits if edit not in fault.blamed]
        again = look(edits) if edits else None
        if again is not None:
            yield from _alone(edits, again, look)
        return
    if len(edits) == 1:
        yield edits[0], fault
        return
    for half in _halves(edits):
        inner = look(half)
        if inner is not None:
            yield from _alone(half, inner, look)


def _together(edits: list[int], look: FaultOf) -> Iterator[tuple[int, Fault]]:
    """Those that are wrong beside what comes before them; neighbours are kept together."""
    kept: list[int] = []
    waiting = [edits]
    while waiting:
        some = waiting.pop()
        fault = look(kept + some)
        if fault is None:
            kept += some
        elif len(some) == 1:
            yield some[0], fault
        else:
            waiting.extend(reversed(_halves(some)))


def _halves(edits: list[int]) -> list[list[int]]:
    middle = len(edits) // 2
    return [edits[:middle], edits[middle:]]
