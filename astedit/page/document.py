"""The frame of a page: its head, its style, and what a browser may load for it."""

import base64
from functools import cache
from hashlib import sha256
from pathlib import Path

from astedit.text.html import html


@cache
def style() -> str:
    """What all pages look like."""
    return Path(__file__).with_name("style.css").read_text("utf-8")


def standing_alone(title: str, body: str) -> str:
    """A page that is one file: the style is within, nothing is loaded and no script runs."""
    digest = base64.b64encode(sha256(style().encode()).digest()).decode()
    rules = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    policy = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    return document(title, body, f"{policy}<style>{style()}</style>")


def document(title: str, body: str, head: str) -> str:
    """A page; `head` says where its style is."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{head}<title>{html(title)}</title></head><body>{body}</body></html>\n"
    )
