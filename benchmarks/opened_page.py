"""The page of a pending plan in a browser: `python -m benchmarks.opened_page ROOT WHAT`.

Starts `astedit review --web`, opens its link in Chromium, and prints seconds: until the `link`
is there, from that until the first `paint`, until a `key` has moved to an edit; or the
processor time of the `server` until then.
"""

import os
import shutil
import subprocess
import sys
import time

_PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_MOVED = "() => document.activeElement.matches('article')"
_TICKS = os.sysconf("SC_CLK_TCK")


def main(root: str, what: str) -> None:
    """Prints the seconds."""
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        started = time.perf_counter()
        command = [sys.executable, "-m", "astedit", "review", "--web", "--no-open"]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            link = server.stdout.readline().strip()
            seconds = {"link": time.perf_counter() - started}
            started = time.perf_counter()
            page.goto(link)
            page.wait_for_selector("article")
            page.wait_for_function(_PAINTED)
            seconds["paint"] = time.perf_counter() - started
            page.keyboard.press("j")
            page.wait_for_function(_MOVED)
            seconds["key"] = time.perf_counter() - started
            seconds["server"] = _used(server.pid)
            server.terminate()
        chromium.close()
    print(" ".join(f"{name}={each:.2f}" for name, each in seconds.items()) if what == "all"
          else seconds[what])  # fmt: skip


def _used(pid: int) -> float:
    """The processor time of a process, in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main(*sys.argv[1:])
