"""A page as a strict parser reads it: its elements, what it would load, and its text."""

from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br"}
_OPEN_ENDED = {"td", "tr", "th", "li", "dt", "dd", "tbody"}  # may end without an end tag
_LOADING = {"src", "href", "action", "data", "poster", "srcset", "formaction", "background"}


class Page(HTMLParser):
    """Raises for elements that are not closed; collects what matters."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not [tag for tag in self._open if tag not in _OPEN_ENDED]

    @property
    def loads(self) -> list[str]:
        """Every address that is named, but those within the page."""
        named = [value for _, name, value in self.attributes if name in _LOADING]
        return [value for value in named if not value.startswith("#")]

    def values(self, name: str) -> list[str]:
        """The values of an attribute, wherever it stands."""
        return [value for _, other, value in self.attributes if other == name]

    @property
    def handlers(self) -> list[str]:
        """Attributes that run or style something."""
        return [n for _, n, _ in self.attributes if n.startswith("on") or n == "style"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1] != tag:
            assert self._open.pop() in _OPEN_ENDED, tag
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data
