"""Mutations: one check taken out of a function, for as long as a test runs."""

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest


def replace(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], code: str, instead: str
) -> None:
    """Makes `function` run with `instead` in place of `code`, which its module holds once.

    The function stays the same object, so whoever has imported it runs the mutant too.
    """
    module = inspect.getmodule(function)
    assert module is not None and isinstance(function, types.FunctionType)
    source = inspect.getsource(function)
    assert source.count(code) == 1, f"{function.__qualname__} has changed: name the check anew"
    whole = inspect.getsource(module).replace(source, source.replace(code, instead))
    compiled = compile(whole, str(module.__file__), "exec", dont_inherit=True)
    (found,) = (one for one in _codes(compiled) if one.co_qualname == function.__qualname__)
    monkeypatch.setattr(function, "__code__", found)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)
