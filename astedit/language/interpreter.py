"""The running interpreter as the compiler of Python."""

import re
import sys
import warnings
from collections.abc import Callable

from astedit.language.facts import Compiler, CompilerCheck

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
_WIDE = re.compile(rb"\b(?:async|from|import|nonlocal|global|except|case|lambda|def|class)\b")
_FLOW = re.compile(rb"\b(?:await|yield|return|break|continue)\b")
_STAR = re.compile(
    rb"(?:^|[=:]|\b(?:in|assert|raise|return|yield|await))\s*\*|(?<![\w)\]\s])\s*\(\s*\*"
)
_KEYWORD = re.compile(rb"[(,]\s*(\w+)\s*=(?!=)")  # of an argument or a parameter
_BOUND = re.compile(rb"\bnonlocal\b|\bimport\s*\*|__future__")


def _whole(source: str) -> None:
    compile(source, "", "exec", dont_inherit=True)


def _statements(source: str) -> None:
    from symtable import symtable  # a third quicker than compiling, and no trees are made

    symtable(source, "", "exec")


def _refusal(ask: Callable[[str], None]) -> CompilerCheck:
    """Memory and the stack may not do for what is nested deeply: that says nothing."""

    def refusal(text: bytes) -> str | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ask(text.decode())
            except SyntaxError as error:
                return error.msg
            except (ValueError, RecursionError, MemoryError, OverflowError):
                return None
        return None

    return refusal


INTERPRETER = Compiler(
    name="Python",
    version=VERSION,
    statements=_refusal(_statements),
    whole=_refusal(_whole),
    wide=_WIDE,
    flow=_FLOW,
    spread=_STAR,
    keyword=_KEYWORD,
    bound=_BOUND,
    placeholder=b"pass\n",
    nest=b"if 1:\n",
)
