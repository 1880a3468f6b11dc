"""What a person sees on a terminal: the pager, headings, colours, the width of the help."""

import os
import re
import signal
from pathlib import Path

import pytest

from astedit.workspace.root import Workspace, state_dir
from resolve import Session, SqliteStore
from tests.support.project import Project
from tests.support.terminal import Terminal

pytestmark = pytest.mark.slow
SOURCE = "".join(f"foo({number})\n" for number in range(100))


@pytest.fixture
def long(project: Project) -> Project:
    return project.write(a_py=SOURCE, b_py="foo(1)\nx = 2\n")


def on_terminal(project: Project, *args: str, **settings: str) -> Terminal:
    settings = {"ASTEDIT_STATE_DIR": str(project.state), "PAGER": "less", **settings}
    return Terminal(project.process_command(*args), project.root, settings, columns=100)


def test_long_output_goes_through_the_pager_and_notes_come_after_it(long: Project) -> None:
    with on_terminal(long, "edit", "-p", "foo($A)", "-r", "bar($A)") as terminal:
        first = terminal.until("\n:")
        assert "+bar(99)" not in first and "Staged" not in first
        terminal.type("q")
        terminal.until("?] ")
        terminal.type("s\n")
        assert terminal.ended() == 0
        assert "Staged as" in terminal.text
        assert "\x1b[31m-\x1b[0m\x1b[31;7mfoo\x1b[0m" in terminal.raw  # coloured: `less -R`


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        (("--no-pager",), {}),
        ((), {"PAGER": "cat"}),
        ((), {"PAGER": ""}),
        ((), {"PAGER": "no-such-program -R"}),
        ((), {"TERM": "dumb"}),
    ],
)
def test_without_a_pager_all_is_printed(
    long: Project, flags: tuple[str, ...], settings: dict[str, str]
) -> None:
    with on_terminal(long, "search", "-p", "foo($A)", *flags, **settings) as terminal:
        assert terminal.ended() == 0
        assert "100:foo(99)\n\nb.py\n1:foo(1)\n" in terminal.text


def test_the_pager_may_be_turned_off_before_the_command(long: Project) -> None:
    with on_terminal(long, "--no-pager", "search", "-p", "foo($A)") as terminal:
        assert terminal.ended() == 0


def test_ctrl_c_in_the_pager_ends_neither(long: Project) -> None:
    with on_terminal(long, "search", "-p", "foo($A)") as terminal:
        terminal.until("\n:")
        terminal.type("\x03")
        terminal.until("100:foo(99)", typing="G")
        terminal.type("q")
        assert terminal.ended() == 0


def test_short_output_needs_no_pager_and_has_headings_and_colours(long: Project) -> None:
    with on_terminal(long, "search", "-p", "foo($A)", "b.py", PAGER="false") as terminal:
        assert terminal.ended() == 0
    assert "\x1b[35mb.py\x1b[0m\r\n\x1b[32m1\x1b[0m:\x1b[1;31mfoo(1)\x1b[0m\r\n" in terminal.raw


def test_no_color_is_respected(long: Project) -> None:
    with on_terminal(long, "search", "-p", "foo($A)", "b.py", NO_COLOR="1") as terminal:
        assert terminal.ended() == 0
    assert terminal.raw == "b.py\r\n1:foo(1)\r\n"


def test_help_is_as_wide_as_the_terminal(long: Project) -> None:
    with on_terminal(long, "edit", "-h", PAGER="cat") as terminal:
        assert terminal.ended() == 0
    assert 90 < max(map(len, terminal.text.splitlines())) <= 100


def test_an_escape_in_the_code_steers_nothing(project: Project) -> None:
    project.write(a_py='foo("\x1b[2J")\n')
    with on_terminal(project, "search", "-p", "foo($A)") as terminal:
        assert terminal.ended() == 0
    assert '1:foo("\\x1b[2J")' in terminal.text


def test_a_notice_says_how_to_apply_and_resolve_asks_why(project: Project) -> None:
    project.write(a_py="foo(1)\n")
    with on_terminal(project, "edit", "-p", "foo($A)", "-r", "bar($A)", "--stage") as terminal:
        assert terminal.ended() == 0
    told = re.search(r"Staged as (\w+): no file .*\nApply with: (astedit .*)\n", terminal.text)
    assert told and told[2] == f"astedit apply {told[1]}"
    with on_terminal(project, "resolve", "apply", told[1]) as terminal:
        terminal.until("Why? (Enter: by ")
        terminal.type("it is right\n")
        assert terminal.ended() == 0
    assert f"Applied {told[1]}: 1 replacement" in terminal.text
    assert project.read("a.py") == "bar(1)\n"
    assert "cli: it is right" in project("log", "--state-dir", str(project.state)).text


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_who_goes_away_instead_of_answering_resolves_nothing(project: Project, key: str) -> None:
    project.write(a_py="foo(1)\n")
    command = ("edit", "-p", "foo($A)", "-r", "bar($A)", "--apply")
    with on_terminal(project, *command, ASTEDIT_ACTOR="Ann") as terminal:
        assert "+bar(1)" in terminal.until("Why? (Enter: by Ann) ")
        terminal.type(key)
        assert terminal.ended() == 130
    assert "nothing was staged or written." in terminal.text
    assert project.read("a.py") == "foo(1)\n"


def test_an_empty_answer_means_a_name(project: Project) -> None:
    project.write(a_py="foo(1)\n")
    command = ("edit", "-p", "foo($A)", "-r", "bar($A)", "--apply")
    with on_terminal(project, *command, ASTEDIT_ACTOR="Ann") as terminal:
        terminal.until("Why? (Enter: by Ann) ")
        terminal.type("\n")
        assert terminal.ended() == 0
    assert "cli:Ann: by Ann" in project("log", "--state-dir", str(project.state)).text
    with on_terminal(project, "undo", "--apply", ASTEDIT_ACTOR="Ann") as terminal:
        assert "-bar(1)" in terminal.until("Why? (Enter: by Ann) ")
        terminal.type("\n")
        assert terminal.ended() == 0
    assert project.read("a.py") == "foo(1)\n"


class Paying:
    """Dies while it pays, and cannot say whether it has."""

    def apply(self, *_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def paid_in_doubt(project: Project) -> str:
    """Stages a payment, and is killed while it is made; returns its id."""
    state = Path(state_dir(Workspace(str(project.root)), str(project.state)), "state.db")
    own = {"pay": Paying()}
    with SqliteStore(state) as store, Session(store, workspace=True, handlers=own) as session:
        action = session.stage(handler="pay", payload={}, label="Pay")
    if (child := os.fork()) == 0:
        store = SqliteStore(state)
        Session(store, workspace=True, lock=project.root, handlers=own).resolve(
            "apply", "r", target=action.id
        )
    os.waitpid(child, 0)
    return action.id


def test_a_person_is_asked_before_what_may_have_run_is_run_again(project: Project) -> None:
    paid = paid_in_doubt(project.write(a_py=""))
    words = ("resolve", "apply", paid, "--reason", "r")
    assert "may have run already" in project("recover").text
    refused = project(*words, "--json")  # of an agent
    assert refused.code == 3 and refused.json["error"]["code"] == "outcome_unknown"
    assert project("log", "--outcome", "unknown", "--json").json[0]["actionId"] == paid
    assert project("pending", "--json").json[0]["condition"]["name"] == "outcome_unknown"
    question = "It may have run already. Run it again? [y/N]"
    for answer, code in (("\r", "outcome_unknown"), ("y\r", "No handler 'pay'")):
        with on_terminal(project, *words) as terminal:
            terminal.until(question, typing=answer)
            assert terminal.ended() == 3
            assert ("may have run already: its" if code == "outcome_unknown" else code) in (
                terminal.text
            )
    assert project("resolve", "discard", paid, "--reason", "it was paid").code == 0
