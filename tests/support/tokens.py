"""How many tokens a public tokenizer (o200k) makes of a text."""

import warnings
from functools import cache
from typing import Any


@cache
def tokenizer() -> Any:
    """Loaded by who counts: it takes a second, which collecting the tests need not."""
    with warnings.catch_warnings():  # it asks importlib for its data in the old way
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai
    return bpe_openai.get_encoding("o200k_base")


def count(text: str) -> int:
    """The number of tokens."""
    return len(tokenizer().encode(text))
