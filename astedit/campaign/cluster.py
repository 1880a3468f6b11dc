"""A Dask scheduler as an executor: the same code past one machine. (extra `cluster`)"""

import ipaddress
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from astedit.errors import PreconditionError, RequestError

_CONNECT = 15  # seconds


@contextmanager
def on_cluster(address: str) -> Iterator[Executor]:
    """The workers of the scheduler at `tls://HOST:PORT`, or `tcp://` on this machine.

    Who can speak to a scheduler can run any code on it and its workers, so `tcp://` to
    another machine is refused; Dask's own configuration names the certificates for `tls://`.
    """
    _check(address)
    try:
        distributed: Any = import_module("distributed")  # it is typed in parts only
    except ImportError as error:
        raise PreconditionError(
            "Dask is not installed.", code="no_cluster", hint="pip install 'astedit[cluster]'"
        ) from error
    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:  # TimeoutError is an OSError
        raise PreconditionError(
            f"The scheduler {address} does not answer: {error}.",
            code="no_scheduler",
            hint="Start one with: python -m dask scheduler --host 127.0.0.1",
        ) from error
    with client:
        # Not `retries`: the driver counts attempts, alike on every executor.
        yield client.get_executor(pure=False)


def _check(address: str) -> None:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise RequestError(f"{address!r} is no address: {error}.") from error
    if parts.scheme not in ("tcp", "tls") or not host or port is None:
        raise RequestError(
            f"{address!r} is no address of a scheduler.", hint="Like tcp://127.0.0.1:8786."
        )
    if parts.scheme == "tcp" and not _here(host):
        raise RequestError(
            f"{address} is another machine, and tcp:// has no protection.",
            hint="Use tls://, with Dask's certificates configured.",
            code="insecure",
        )


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
