"""The browser of the tests that look at a page: one that the machine has, or none."""

import shutil

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium here: .ci/run installs it, and nothing else does"
)
