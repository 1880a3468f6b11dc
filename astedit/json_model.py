"""JSON in and out for dataclasses: camelCase there, snake_case here.

pydantic is imported only where JSON is validated or a schema is asked for, since
importing it costs more than a whole selective search.
"""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

Schema = dict[str, Any]  # a JSON schema, or a part of one


def camel(name: str) -> str:
    """The JSON spelling of a Python field name."""
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def snake(name: str) -> str:
    """The Python spelling of a JSON name."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


class Model:
    """JSON in and out for a dataclass, in camelCase, unknown keys refused.

    Equality and `repr` are here, once: letting `dataclass` write them for every model
    doubles what importing this module costs every command.
    """

    __pydantic_config__: ClassVar[Any] = {
        "alias_generator": camel,
        "populate_by_name": True,
        "extra": "forbid",
        "strict": True,
    }
    _schema: ClassVar[str | None] = None

    def __eq__(self, other: object) -> bool:
        names = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in names
        )

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        body = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields if f.repr)
        return f"{type(self).__name__}({body})"

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dict: camelCase keys, private fields left out, schema first.

        Only the document itself names its schema, not the models in it.
        """
        head = {"schema": self._schema} if self._schema else {}
        return head | _body(self)

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The same as `to_json`, under pydantic's name."""
        return self.to_json()

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """`to_json` as text."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=indent)

    @classmethod
    def model_validate(cls, value: object) -> Self:
        """Builds the model from camelCase or snake_case keys; pydantic's errors pass through.

        Validates as JSON, strictly: no number is read as a string, no unknown key is kept.
        """
        from pydantic import TypeAdapter

        if isinstance(value, Mapping):
            value = {key: item for key, item in value.items() if key != "schema"}
        return TypeAdapter(cls).validate_json(json.dumps(value))

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """The JSON schema of this model."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).json_schema(by_alias=True)


def _body(model: Model) -> dict[str, Any]:
    fields = dataclasses.fields(model)  # type: ignore[arg-type]
    return {camel(f.name): _jsonable(getattr(model, f.name)) for f in fields if f.repr}


def _jsonable(value: Any) -> Any:
    if isinstance(value, Model):
        return _body(value)
    if isinstance(value, dict):
        return {key: _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    return value


def strictly(text: str | bytes) -> Any:
    """A JSON text's value; ValueError for a key that is there twice, and for NaN and the like."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")
