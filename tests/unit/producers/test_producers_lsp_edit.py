"""Positions in the units of language servers, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.errors import PreconditionError
from astedit.producers.lsp_edit import Positions

TEXT = st.lists(st.sampled_from(["a", "ö", "𝒳", "\n", "\r\n", "\r", " "]), max_size=20).map("".join)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@given(text=TEXT)
def test_every_letter_is_found_again(encoding: str, text: str) -> None:
    """A place between the two halves of `\\r\\n` is the end of the line before it."""
    positions = Positions("a", text.encode(), encoding)
    for at in range(len(text) + 1):
        offset = len(text[:at].encode())
        if text[at - 1 : at + 1] != "\r\n" and text[at : at + 1] not in ("\r", "\n"):
            assert positions.offset(*positions.position(offset)) == offset


def test_units_and_what_is_not_there() -> None:
    content = "x𝒳y = 1\nz\n".encode()
    counted = {name: Positions("a", content, name) for name in ("utf-8", "utf-16", "utf-32")}
    assert counted["utf-8"].offset(0, 5) == counted["utf-16"].offset(0, 3) == 5
    assert counted["utf-32"].offset(0, 2) == 5
    assert counted["utf-16"].offset(0, 999) == content.index(b"\n")
    assert counted["utf-16"].offset(3, 0) == len(content)
    with pytest.raises(PreconditionError, match="named line 5, and there are 3"):
        counted["utf-16"].offset(4, 0)
    assert Positions("a", b"\xef\xbb\xbfab", "utf-16").offset(0, 1) == 4
    with pytest.raises(PreconditionError, match="not UTF-8"):
        Positions("a", b"\xff", "utf-8")
