"""The tree of three services whose names collide on purpose."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from astedit.facts.reading import FactReader, FactTask
from astedit.workers.pool import TaskOutcome

FILES = {
    "svc_a/app/main.py": """\
# Bestellungen – naïve café ☕🎉
def traced(name):
    return lambda function: function


class OrderService:
    class Meta:
        label = "orders"

    @traced("create")
    def create(self, item):
        print("create", item)
        return item

    def cancel(self, item):
        print("cancel", item)

    @property
    def total(self):
        return self._total

    @total.setter
    def total(self, value):
        self._total = value


def outer():
    def inner():
        y = 1
        return y

    return inner
""",
    "svc_a/app/api.py": """\
from fastapi import APIRouter

router = APIRouter(prefix="/api/v1")


@router.get("/customers")
def list_customers():
    return customers()


@router.get("/customers/{id}")
def read_customer(id: int):
    return id


@router.delete("/customers/{id}")
def delete_customer(id: int):
    return id


def customers():
    return []
""",
    "svc_a/app/use.py": """\
from app.main import OrderService


def place():
    return OrderService().create("tea")
""",
    "svc_b/app/main.py": """\
class OrderService:
    def create(self, item):
        return item
""",
    "svc_b/calls.py": """\
import requests


def cards():
    return requests.get("http://smartcare/api/v1/cards")


def smart_customers():
    return requests.get("http://smartcare/api/v1/customers")


def other():
    return requests.get("http://customers/x")
""",
    "svc_c/web.py": """\
from flask import Flask

app = Flask(__name__)


@app.route("/items/<int:id>", methods=["GET", "POST"])
def item(id):
    return str(id)
""",
}


def build(root: Path, **more: str) -> Path:
    """Writes the tree below `root`; `more` files have `__` for `/` and end in their suffix."""
    named = {f"{stem.replace('__', '/')}.{end}": text for name, text in more.items()
             for stem, _, end in [name.rpartition("_")]}  # fmt: skip
    for path, text in {**FILES, **named}.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


def paths_parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are parsed to find names, from now on."""
    paths: list[str] = []
    parse = FactReader._read

    def noted(
        self: FactReader, tasks: Sequence[FactTask]
    ) -> Iterator[tuple[FactTask, TaskOutcome]]:
        paths.extend(task.path for task in tasks)
        return parse(self, tasks)

    monkeypatch.setattr(FactReader, "_read", noted)
    return paths
