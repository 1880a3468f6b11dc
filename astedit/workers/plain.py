"""Records as plain data and back: the one form in which they cross to another process.

Plain data are None, numbers, texts, bytes, tuples, lists and dicts: what `marshal` takes,
which is several times faster than `pickle` and runs no code. A record is a dataclass or a
NamedTuple; it becomes the tuple of its fields. Which fields hold records is read off their
annotations, once for each class. Where a record may be of several classes, the number of
its class stands before its fields; such classes may hold each other. They are those of a union,
or those below a class that is no record itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_Conversion = Callable[[Any], Any]


class _Codec(NamedTuple):
    """How values of one type are taken apart, and how they are put together again."""

    write: _Conversion
    read: _Conversion


def plain(record: Any) -> tuple[Any, ...]:
    """A record as the tuple of its fields, and the records in it likewise."""
    kind: Any = type(record)
    values: tuple[Any, ...] = _of_record(kind).write(record)
    return values


def restored(kind: type[T], data: Sequence[Any]) -> T:
    """The record that `plain` took apart; fields that `data` ends before have defaults."""
    record_type: Any = kind
    record: T = _of_record(record_type).read(data)
    return record


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields"))


@cache
def _of_record(kind: Any) -> _Codec:
    hints = get_type_hints(kind)
    names = kind._fields if hasattr(kind, "_fields") else [field.name for field in fields(kind)]
    codecs = [_of_hint(hints[name]) for name in names]
    return _Codec(_writer(kind, names, codecs), _reader(kind, codecs))


def _writer(kind: Any, names: Sequence[str], codecs: Sequence[_Codec | None]) -> _Conversion:
    if not any(codecs) and issubclass(kind, tuple):
        return tuple
    steps = [(name, codec and codec.write) for name, codec in zip(names, codecs, strict=True)]

    def write(record: Any) -> tuple[Any, ...]:
        values = ((getattr(record, name), step) for name, step in steps)
        return tuple(value if step is None else step(value) for value, step in values)

    return write


def _reader(kind: Any, codecs: Sequence[_Codec | None]) -> _Conversion:
    if not any(codecs):
        return lambda data: kind(*data)
    steps = [(place, codec.read) for place, codec in enumerate(codecs) if codec is not None]

    def read(data: Sequence[Any]) -> Any:
        values = list(data)
        for place, step in steps:
            if place < len(values):
                values[place] = step(values[place])
        return kind(*values)

    return read


def _of_hint(hint: Any) -> _Codec | None:
    """How values with this annotation cross; None: they are plain already."""
    if _is_record(hint):
        return _of_record(hint)
    if isinstance(hint, type) and hint.__module__ != "builtins":
        return _of_union([*_records_below(hint)])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _of_union([kind for kind in arguments if kind is not NoneType])
    inner = _of_hint(arguments[-1 if origin is dict else 0]) if arguments else None
    if inner is None:
        return None
    if origin is dict:
        return _Codec(_values(inner.write), _values(inner.read))
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return _Codec(_items(origin, inner.write), _items(origin, inner.read))
    raise TypeError(f"{hint} cannot cross to another process")


def _records_below(kind: Any) -> Iterator[Any]:
    """The classes below one, in their order, that have none below themselves."""
    for below in kind.__subclasses__():
        yield from [*_records_below(below)] or [below]


def _of_union(kinds: Sequence[Any]) -> _Codec | None:
    if len(kinds) > 1 and all(map(_is_record, kinds)):
        return _Codec(*map(_unless_none, _numbered(kinds)))
    codecs = [codec for kind in kinds if (codec := _of_hint(kind)) is not None]
    if not codecs:
        return None
    (codec,) = codecs  # of two kinds of value nobody could tell which one it was
    return _Codec(*map(_unless_none, codec))


def _numbered(kinds: Sequence[Any]) -> _Codec:
    """How a record of one of these classes crosses; a class is looked into when one comes."""
    numbers = {kind: number for number, kind in enumerate(kinds)}

    def write(record: Any) -> tuple[Any, ...]:
        kind: Any = type(record)
        return (numbers[kind], *_of_record(kind).write(record))

    def read(data: Sequence[Any]) -> Any:
        return _of_record(kinds[data[0]]).read(data[1:])

    return _Codec(write, read)


def _unless_none(step: _Conversion) -> _Conversion:
    return lambda value: None if value is None else step(value)


def _items(container: Callable[[Any], Any], step: _Conversion) -> _Conversion:
    return lambda values: container(map(step, values))


def _values(step: _Conversion) -> _Conversion:
    return lambda values: {key: step(value) for key, value in values.items()}
