"""Contents that say nothing about routes and clients: they are not searched through again."""

from collections import defaultdict

from astedit.locating.frameworks.table import is_known, may_say
from astedit.locating.inventory.index import Index, mute

_MOST = 100_000  # contents of one language that are kept
_WORTH = 262_144  # bytes that were searched in vain from which on that is kept


class KnownEmpty:
    """A test of files for `Inventory.look` that knows what earlier looks found nothing in."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[str, set[bytes]] = {}
        self._met: dict[str, set[bytes]] = defaultdict(set)
        self._new: dict[str, int] = defaultdict(int)

    def may_say(self, _: str, language: str, raw: bytes) -> bool:
        """False only if the file says nothing about routes or clients."""
        if not is_known(language):
            return False
        if language not in self._known:
            self._known[language] = self._index.silent(language)
        content = mute(raw)
        if content not in self._known[language]:
            if may_say(language, raw):
                return True
            self._new[language] += len(raw)
        self._met[language].add(content)
        return False

    def keep(self) -> None:
        """Keeps what was met, and what was known as long as there is room for it."""
        for language, size in self._new.items():
            if size >= _WORTH:
                met, known = self._met[language], self._known[language]
                more = known if len(known) + len(met) <= _MOST else set()
                self._index.keep_silent(language, met | more)
