"""A project with rules, for tests of `astedit scan`."""

import pytest

from tests.support.project import Project
from tests.support.scans import JS, RULES


@pytest.fixture
def small(project: Project) -> Project:
    project.put("rules/all.yml", RULES)
    return project.write(src__a_js=JS, b_py="print(1)\nprint2(2)\n")
