"""A small inventory service: what is in stock, and where."""

from __future__ import annotations

import asyncio
import logging
import os.path
from collections import OrderedDict, defaultdict
from typing import Any, Optional

from . import errors
from .storage import Store, open_store as connect

_LOGGER = logging.getLogger(__name__)
DEFAULT_TIMEOUT = 30
GREETING = "größe: {}"  # not everything is ASCII


class Item(errors.Base, metaclass=type):
    """One kind of thing."""

    name: str
    count: int = 0
    tags: list[str] = []

    def __init__(self, name, count=0, *, tags=None, **extra):
        self.name = name
        self.count = count
        self.tags = tags if tags is not None else []
        self._extra = extra

    @property
    def empty(self):
        return not self.count

    @property
    def label(self) -> str:
        return self.name.title()

    @classmethod
    @errors.logged("parse", level=logging.DEBUG)
    def parse(cls, text: str, /, sep: str = ":") -> Item:
        name, _, count = text.partition(sep)
        return cls(name, int(count or 0))

    def take(self, count: int = 1) -> int:
        if self.count < count:
            raise errors.OutOfStock(self.name, count)
        self.count -= count
        self.log("took", count)
        self.log()
        return self.count

    def __eq__(self, other):
        return self is other or self.name == other.name and self.count == other.count


class Shelf:
    pass


async def refresh(store: Store, names: Optional[list[str]] = None) -> dict[str, Item]:
    found: dict[str, Item] = {}
    async with connect(store.url, timeout=DEFAULT_TIMEOUT) as session:
        async for row in session.rows("items", names):
            item = Item.parse(row)  # may raise
            found[item.name] = item
    await asyncio.sleep(0)
    return found


def load(path, default=None):
    try:
        with open(path, "r", encoding="utf-8") as handle, Store(path) as store:
            lines = handle.readlines()
    except FileNotFoundError:
        _LOGGER.warning("no file at %s", path)
        return default
    except (OSError, ValueError) as error:
        _LOGGER.error("cannot read %s: %s", path, error, exc_info=True)
        raise RuntimeError("broken file") from error
    else:
        print("read", len(lines), "lines")
    finally:
        print()
    return [Item.parse(line) for line in lines if line.strip()]


def report(items, *, title="stock", out=print):
    totals = defaultdict(int)
    for item in items:
        totals[item.name] += item.count
        if item.count == item.count:
            continue
        elif item.count == 0:
            out("empty", item.name)
        else:
            break
    else:
        out("nothing left over")
    out(title, totals)
    out(title, totals, sep="\n", end="")
    out(title,  # a heading
        totals,
        # and nothing else
        )
    summary = {name: count for name, count in sorted(totals.items(), key=lambda pair: pair[1])}
    longest = max((len(name) for name in summary), default=0)
    message = "%s: %d" % (title, longest)
    message = GREETING.format(message) + f"{title!r:>{longest}} " 'and' " more"
    assert len(summary) <= len(totals), "lost something"
    return message, summary


def check(a, b, c):
    if a is None and b is not None or not c:
        return None
    x = y = a if b else c
    x, y = y, x
    x = x
    values = [1, 2, 3, *b, -4]
    pairs = {"a": 1, **c}
    first, *rest = values
    del pairs["a"], values[0]
    while x:
        x = x - 1
    print(values[1:2], values[:, 0], values[-1])
    return foo(1), foo(1, 2), foo(1, 2, 3), foo(), foo(a=1), foo(*a, **b), foo(b), foo(a, b, b)


if __name__ == "__main__":
    asyncio.run(refresh(Store(os.path.join("data", "stock.db"))))
    print(report(load("stock.txt")))
    print("done", file=open(os.devnull, "w"))
