"""Builds what is published into `dist/`, and tries it as strangers would: `make release`.

The sdist and the wheel, checked by twine, and a list of what the wheel brings with it (an SBOM in
CycloneDX's form). The wheel is installed into a new environment of each supported interpreter of
this machine, and started by `uvx`; each runs the demo. Nothing is uploaded: `publish.yml` does
that from a tag.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
DIST = REPOSITORY / "dist"
SUPPORTED = ("python3.11", "python3.12", "python3.13", "python3.14")


def run(*command: str | Path, cwd: Path = REPOSITORY) -> str:
    """Standard output of a command, which must succeed."""
    outside = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=outside, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def module(name: str, *words: str | Path) -> str:
    return run(sys.executable, "-m", name, *words)


def version() -> str:
    """The version that every file says; ends with the list of those that say another."""
    (number,) = re.findall(r'__version__ = "(.+)"', (REPOSITORY / "astedit/version.py").read_text())
    paths = ["server.json", "agents/plugin.json", "agents/.claude-plugin/plugin.json"]
    paths += ["agents/gemini/astedit/gemini-extension.json", "editors/vscode/package.json"]
    wrong = []
    for path in paths:
        versions = re.findall(r'"version": "([^"]+)"', (REPOSITORY / path).read_text())
        if {*versions} != {number}:
            wrong.append(f"{path} says {', '.join(versions)}, not {number}")
    if f"\n## {number}, " not in (REPOSITORY / "CHANGELOG.md").read_text():
        wrong.append(f"CHANGELOG.md has no section {number}")
    if wrong:
        sys.exit("\n".join([*wrong, "Run `make agents`, and write what is missing."]))
    return number


def build(number: str) -> Path:
    """The wheel, made from the sdist; both are checked by twine."""
    shutil.rmtree(DIST, ignore_errors=True)
    module("build", "--outdir", DIST)
    paths = [DIST / f"astedit-{number}.tar.gz", DIST / f"astedit-{number}-py3-none-any.whl"]
    assert {*DIST.iterdir()} == {*paths}, [*DIST.iterdir()]
    print(module("twine", "check", "--strict", *paths), end="")
    return paths[1]


def interpreters() -> dict[str, str]:
    """The supported interpreters of this machine, by name."""
    paths = {}
    for name in SUPPORTED:
        place = subprocess.run(
            [REPOSITORY / ".ci/find-python", name], capture_output=True, text=True, check=False
        )
        if place.returncode == 0:
            paths[name] = place.stdout.strip()
        else:
            print(f"{name}: not on this machine, not tried")
    return paths


def install(wheel: Path, interpreter: str, folder: Path) -> Path:
    """The interpreter of a new environment that has the wheel, and what it requires."""
    run(interpreter, "-m", "venv", folder)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
    return python


def main() -> None:
    number = version()
    wheel = build(number)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # A copy that does not stand beside the sources, so that the wheel is what runs.
        demo = shutil.copytree(REPOSITORY / "fixtures/demo", folder / "copy/fixtures/demo")
        for title, interpreter in interpreters().items():
            python = install(wheel, interpreter, folder / title)
            assert run(python.parent / "astedit", "--version", cwd=folder).split()[1] == number
            assert "+        log(" in run(python, demo / "run.py", cwd=folder)
            print(f"{title}: the wheel is installed, the demo ran")
        bill = DIST / f"astedit-{number}.cdx.json"
        words = ["environment", "--output-reproducible", "--of", "JSON", "-o", bill, python]
        module("cyclonedx_py", *words)
        print(f"{bill.name}: {bill.read_text().count('bom-ref')} components")
        uvx = [Path(sys.executable).parent / "uvx", "--python", interpreter, "--from", wheel]
        assert run(*uvx, "astedit", "--version", cwd=folder).split()[1] == number
        print("uvx: the wheel starts")
    print(f"dist/ has what astedit {number} publishes. A pushed tag v{number} uploads it.")


if __name__ == "__main__":
    main()
