"""Makes any text safe to show: what steers a terminal or hides text becomes an escape."""

from __future__ import annotations

import re

# C0 (but tab and newline), DEL, C1; soft hyphen; Arabic letter mark; Mongolian vowel
# separator; zero-width, bidi marks and overrides (Trojan Source, CVE-2021-42574); line and
# paragraph separators; invisible operators and isolates; BOM; interlinear annotation;
# hieroglyph, shorthand and musical format controls; variation selectors supplement and
# tag characters, which carry whole hidden sentences.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0"
    "\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)

_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*")  # with a letter beyond ASCII
_LOOK_ALIKE = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"}


def visible(text: str) -> str:
    """Returns the text with every hidden or steering character as `\\x1b` or `\\u202e`.

    Tabs and newlines stay. Plain text comes back unchanged, so showing text twice is safe.
    """
    if text.isascii() and text.isprintable():
        return text  # nearly every line of code, in a twentieth of the time
    return _HIDDEN.sub(_escape, text)


def one_line(text: str) -> str:
    """Returns the text visible and on one line, for labels, reasons and names."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def hidden(text: str) -> int:
    """Counts the characters that `visible` would escape."""
    return len(_HIDDEN.findall(text))


def mixed_scripts(text: str) -> list[str]:
    """Names of which a part mixes letters of scripts that look alike, each once, in order.

    Those of one script alone are somebody's language. (Unicode TS 39, mixed-script detection)
    """
    words = dict.fromkeys(_WORD.findall(text))
    return [
        word
        for word in words
        if any(len(_LOOK_ALIKE & set(map(_script, part))) > 1 for part in word.split("_"))
    ]


def _script(letter: str) -> str:
    import unicodedata  # not needed where all is ASCII, and every command imports this module

    return unicodedata.name(letter, "").partition(" ")[0]


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
