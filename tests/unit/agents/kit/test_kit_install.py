"""`astedit agents`: what is written where, what stays, and what a hostile place cannot do."""

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from astedit.agents.kit.rows import CLIENTS, client
from astedit.errors import PreconditionError
from astedit.transaction import user_files
from tests.support import REPOSITORY, agent_files
from tests.support.project import Outcome, Project

Agents = Callable[..., Outcome]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def agents(project: Project, home: Path) -> Agents:
    return lambda *words: project("agents", *words)


def below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_the_repository_holds_what_install_writes(project: Project, agents: Agents) -> None:
    """`make agents` writes these files again."""
    (project.root / "astedit.toml").unlink()
    assert agents("install", "--project", "--root", ".", "--yes").code == 0
    written = project.files()
    lying = below(REPOSITORY / "agents")
    assert {path: lying.get(path) for path in written} == written
    wanted = agent_files.wanted(str(project.root.parent / "home"))
    assert {path: path.read_bytes() for path in wanted} == wanted
    assert {REPOSITORY / "agents" / path for path in lying} == wanted.keys() - {
        REPOSITORY / "server.json"
    }


def test_the_manifests_are_what_their_schemas_say() -> None:
    files = below(REPOSITORY / "agents")
    plugin, servers = json.loads(files["plugin.json"]), json.loads(files["mcp.json"])
    assert plugin["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    fields = {"name", "version", "description", "license", "keywords"}
    assert plugin.keys() == {"$schema", *fields}
    schema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
    entry = {"type": "stdio", "command": "astedit", "args": ["mcp"]}
    assert servers == {"$schema": schema, "mcpServers": {"astedit": entry}}
    assert json.loads(files[".claude-plugin/plugin.json"]).keys() == fields
    market = json.loads(files[".claude-plugin/marketplace.json"])
    assert market["owner"]["name"] and market["plugins"][0]["source"] == "./"
    registry = json.loads((REPOSITORY / "server.json").read_bytes())
    assert registry["name"].count("/") == 1 and len(registry["description"]) <= 100
    _, head, text = files["skills/astedit/SKILL.md"].decode().split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == "astedit" and len(fields["description"]) <= 1_024 and text
    config = tomllib.loads(files[".codex/config.toml"].decode())
    assert config == {"mcp_servers": {"astedit": {"command": "astedit", "args": ["mcp"]}}}
    assert json.loads(files[".vscode/mcp.json"])["servers"]["astedit"]["type"] == "stdio"
    local = json.loads(files["opencode.json"])["mcp"]["astedit"]
    assert (local["type"], local["command"]) == ("local", ["astedit", "mcp"])
    cursor = json.loads(files[".cursor/hooks.json"])
    (hook,) = cursor["hooks"]["preToolUse"]
    assert cursor["version"] == 1 and hook.keys() == {"command", "matcher", "timeout"}


@pytest.mark.parametrize("scope", ["--project", "--user"])
@pytest.mark.parametrize("mode", ["offer", "stage", "require"])
def test_install_install_remove(
    project: Project, agents: Agents, home: Path, scope: str, mode: str
) -> None:
    (home / ".gemini/extensions").mkdir(parents=True)  # of somebody, and stays
    before = below(project.root), below(home)
    shown = agents("install", scope, "--mode", mode, "--yes")
    assert shown.code == 0 and b"+++ b/" in shown.out
    installed = below(project.root), below(home)
    assert installed != before
    assert all(f"installed ({mode})" in line for line in agents("list", scope).text.splitlines())
    again = agents("install", scope, "--yes", "--json")  # keeps the mode
    assert not json.loads(again.out)["written"] and (below(project.root), below(home)) == installed
    assert json.loads(agents("remove", scope, "--yes", "--json").out)["written"]
    assert (below(project.root), below(home)) == before
    assert (home / ".gemini/extensions").is_dir() and not [*home.parent.rglob("skills/astedit")]


@pytest.mark.parametrize("value", ["", "relative", "/nowhere"])
def test_without_a_home_nothing_is_written(
    agents: Agents, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HOME", value)
    outcome = agents("install", "claude", "--user", "--yes")
    assert outcome.code == 3 and "There is no home directory" in outcome.err


@pytest.mark.parametrize("value", ["absolute/a/b", "relative"])
def test_a_client_may_have_its_home_elsewhere(
    project: Project, agents: Agents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """A relative one is below the working directory."""
    place = tmp_path / value if value != "relative" else project.root / value
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.setenv(name, str(place) if value != "relative" else value)
    assert agents("install", "codex", "claude", "--user", "--yes").code == 0
    for name in ("config.toml", "hooks.json", "skills/astedit/SKILL.md"):
        (place / name).write_bytes(b"")  # as a kill may leave it
    assert agents("install", "codex", "claude", "--user", "--yes").code == 0
    assert agents("remove", "codex", "claude", "--user", "--yes").code == 0
    assert {path.name for path in place.rglob("*")} == {"skills", "config.toml", "hooks.json"}


def test_nothing_is_written_without_a_yes(project: Project, agents: Agents) -> None:
    before = project.files()
    outcome = agents("install", "claude")
    assert outcome.code == 1 and "Nothing was changed" in outcome.err
    assert b"+++ b/.mcp.json" in outcome.out and project.files() == before


def test_another_mode_takes_the_place_of_the_old_one(project: Project, agents: Agents) -> None:
    agents("install", "claude", "cursor", "--yes")
    agents("install", "claude", "cursor", "--mode", "require", "--yes")
    (group,) = json.loads(project.read(".claude/settings.json"))["hooks"]["PreToolUse"]
    assert group["matcher"] == "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell"
    assert group["hooks"][0]["command"] == "astedit hook claude --mode require"
    (entry,) = json.loads(project.read(".cursor/hooks.json"))["hooks"]["preToolUse"]
    assert entry["failClosed"] is True
    rows = json.loads(agents("list", "claude", "--mode", "offer", "--json").out)["entries"]
    assert {row["state"] for row in rows} == {"installed", "outdated"}


def test_what_two_clients_share_stays_until_both_are_gone(project: Project, agents: Agents) -> None:
    agents("install", "claude", "copilot", "--yes")
    assert ".mcp.json: stays, GitHub Copilot uses it" in agents("remove", "claude", "--yes").err
    assert project.files().keys() & {".mcp.json", ".claude/settings.json"} == {".mcp.json"}
    agents("remove", "copilot", "--yes")
    assert project.files().keys() == {"astedit.toml"}


PLANTED = '{"mcpServers": {"astedit": {"command": "./evil", "args": ["mcp"]}}}\n'


def test_an_entry_that_somebody_else_wrote_is_left_alone_and_named(
    project: Project, agents: Agents
) -> None:
    project.put(".mcp.json", PLANTED)
    hook = '{"hooks": {"PreToolUse": [{"hooks": [{"command": "x; astedit hook claude"}]}]}}'
    project.put(".claude/settings.json", hook)
    project.put(".claude/skills/astedit/SKILL.md", "mine\n")
    before = project.files()
    for verb in ("install", "remove"):
        assert agents(verb, "claude", "--yes").err.count("is not the kit's; left alone") == 3
        assert project.files() == before
    checked = agents("check", "claude")
    assert checked.code == 1 and checked.text.count("foreign") == 3


def test_a_skill_that_was_changed_is_somebodys_own(project: Project, agents: Agents) -> None:
    agents("install", "claude", "--yes")
    path = ".claude/skills/astedit/SKILL.md"
    project.put(path, project.read(path).replace("preview", "look"))
    agents("remove", "claude", "--yes")
    assert set(project.files()) == {"astedit.toml", path}


def test_hooks_of_codex_stand_where_it_has_some(project: Project, agents: Agents) -> None:
    text = '[[hooks.PreToolUse]]\nmatcher = "x"\n'
    project.put(".codex/config.toml", text)
    agents("install", "codex", "--yes")
    assert not (project.root / ".codex/hooks.json").exists()
    hooks = tomllib.loads(project.read(".codex/config.toml"))["hooks"]["PreToolUse"]
    assert len(hooks) == 2 and hooks[1]["matcher"] == "^(?:apply_patch)$"
    agents("remove", "codex", "--yes")
    assert project.read(".codex/config.toml") == text


def test_opencode_is_entered_where_its_settings_are(project: Project, agents: Agents) -> None:
    text = '{\n  // mine\n  "mcp": {},\n}\n'
    project.put("opencode.jsonc", text)
    agents("install", "opencode", "--yes")
    assert not (project.root / "opencode.json").exists()
    assert '"mcp": {"astedit": { "type": "local"' in project.read("opencode.jsonc")
    agents("remove", "opencode", "--yes")
    assert project.read("opencode.jsonc") == text


@pytest.mark.parametrize("scope", ["--project", "--user"])
def test_settings_that_cannot_be_edited_are_named_and_nothing_changes(
    project: Project, agents: Agents, home: Path, scope: str, tmp_path: Path
) -> None:
    base = project.root if scope == "--project" else home
    name = ".mcp.json" if scope == "--project" else ".claude.json"
    (base / name).write_text("{ not json")
    outcome = agents("install", scope, "--yes")
    assert outcome.code == 3 and name in outcome.err and "does not parse" in outcome.err
    assert "Mend the file" in outcome.err
    (base / name).unlink()
    (tmp_path / "elsewhere").write_text("{}")
    (base / name).symlink_to(tmp_path / "elsewhere")
    outcome = agents("install", scope, "--yes")
    assert outcome.code == 3 and "it is a link" in outcome.err
    (base / name).unlink()
    (base / ".cursor").symlink_to(tmp_path)
    assert "lies behind one" in agents("install", scope, "--yes").err
    (base / ".cursor").unlink()
    (base / ".cursor").touch()
    assert ".cursor/mcp.json: Not a directory." in agents("install", scope, "--yes").err
    (base / ".cursor").unlink()
    assert (below(project.root), below(home)) == ({"astedit.toml": b""}, {})
    assert "absent" in agents("check", scope).text
    (base / ".codex").mkdir()
    (base / ".codex/config.toml").write_text("[broken")
    assert "does not parse" in agents("install", scope, "--yes").err


def test_files_of_a_user_are_written_together_or_not_at_all(
    agents: Agents, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(root: int, path: str, *contents: bytes | None) -> None:
        if path.startswith(".codex"):
            raise PreconditionError(f"{path} cannot be written: no room. Nothing was changed.")
        put(root, path, *contents)

    put = user_files.put
    (home / ".claude.json").write_text("{}")
    monkeypatch.setattr(user_files, "put", full)
    outcome = agents("install", "--user", "--yes")
    assert outcome.code == 3 and "Nothing was changed" in outcome.err
    assert below(home) == {".claude.json": b"{}"} and b"Written" not in outcome.out


def test_check_says_whether_the_command_starts(
    agents: Agents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert agents("install", "claude", "--yes").code == 0
    monkeypatch.setenv("PATH", str(tmp_path))
    checked = agents("check", "claude")
    assert checked.code == 1 and "is not in PATH" in checked.text
    program = tmp_path / "astedit"
    program.write_text("#!/nowhere/python\n")
    program.chmod(0o755)
    assert "astedit: No such file" in agents("check", "claude").text
    program.write_text("#!/bin/sh\nread line\necho 'error: no package' >&2\nexit 3\n")
    assert "error: no package" in agents("check", "claude").text
    program.write_text("#!/bin/sh\nread line\nexit 0\n")
    checked = agents("check", "claude")
    assert checked.code == 0 and "astedit mcp: starts" in checked.text


def test_the_plugin_of_opencode_runs(project: Project, agents: Agents, tmp_path: Path) -> None:
    """In node, with a hook that denies, one that lets through, and one that breaks."""
    agents("install", "opencode", "--mode", "require", "--yes")
    plugin = project.root / ".opencode/plugins/astedit.js"
    (project.root / "package.json").write_text('{"type": "module"}')
    hook = tmp_path / "bin/astedit"
    hook.parent.mkdir()
    script = project.root / "try.mjs"
    script.write_text(
        f'import {{ Astedit }} from "{plugin}";\n'
        'const hooks = await Astedit({ directory: "/" });\n'
        "const call = { tool: 'bash', sessionID: 's', callID: 'c' };\n"
        "try { await hooks['tool.execute.before'](call, { args: {} }); console.log('through'); }\n"
        "catch (error) { console.log('denied: ' + error.message); }\n"
    )
    for answer, wanted in {
        'cat >/dev/null; echo \'{"deny": "no"}\'': "denied: no",
        "cat >/dev/null": "through",
        "cat >/dev/null; echo broken >&2; exit 2": "denied: broken",
    }.items():
        hook.write_text(f"#!/bin/sh\n{answer}\n")
        hook.chmod(0o755)
        environment = {"PATH": f"{hook.parent}:/usr/bin:/bin:/usr/local/bin"}
        done = subprocess.run(["node", script], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == wanted, done.stderr


def test_every_client_has_its_row() -> None:
    for name in CLIENTS:
        row = client(name)
        assert row.row["title"] and row.tools and list(row.entries("project", "/h"))
        denial = row.answer("deny", 'a "quoted"\n\xe4')
        assert json.loads(denial) and denial.isascii()
        for tools in ("edits", "matched"):
            names = set(re.findall(r"\w+", row.row["hook"][tools]))
            shells = tools == "matched"
            assert names == {name for name, tool in row.tools.items()
                             if shells or tool["does"] != "shell"}  # fmt: skip
