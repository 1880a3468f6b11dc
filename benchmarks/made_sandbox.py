"""What a sandbox costs: `python -m benchmarks.made_sandbox ROOT overlay|copy`.

Runs a command that does nothing in one, and prints the seconds.
"""

import sys
import tempfile
import time
from typing import cast

from astedit.sandbox.sandbox import Sandbox, SandboxWay, choose


def main(root: str, way: str) -> None:
    """Prints the seconds."""
    with tempfile.TemporaryDirectory() as state:
        sandbox = Sandbox(root, state)
        choose(sandbox, cast(SandboxWay, way), ())
        started = time.perf_counter()
        done = sandbox.run(["true"])
        took = time.perf_counter() - started
    if done.status != 0:
        sys.exit(done.output)
    print(took)


if __name__ == "__main__":
    main(*sys.argv[1:])
