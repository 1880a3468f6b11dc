"""The `astedit` command. `--version` imports nothing but the version."""

import gc
import sys


def main() -> int:
    """Runs the command line and returns its exit code."""
    if sys.argv[1:] == ["--version"]:
        from astedit.version import __version__

        print(f"astedit {__version__}")
        return 0
    gc.disable()  # one command and then the end: looking for cycles would cost 5 %
    try:
        from astedit.cli.main import run
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
