"""Requests of operations, as each surface makes them."""

from typing import Any

from astedit.model.request import EditRequest
from astedit.operations import Lookup, operation
from astedit.workspace.root import Workspace


def request_of(kind: str, workspace: Workspace, *args: Any, **options: Any) -> EditRequest:
    """The request of an operation with these parameters."""
    descriptor = operation(kind)
    return descriptor.locate(descriptor.parameters(*args, **options), Lookup(workspace))
