"""The state file's tables, their version, and how a new or older file gets there."""

from __future__ import annotations

VERSION = 2

# Times are milliseconds since 1970. Payloads, details, intents and bodies are JSON, as
# text or (large ones) as a zlib blob. The payload is the last column, so that listing
# never reads its overflow pages.
V1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE actions (
    id TEXT PRIMARY KEY, position INTEGER NOT NULL, session TEXT NOT NULL,
    state TEXT NOT NULL, condition TEXT, sentence TEXT, handler TEXT, label TEXT NOT NULL,
    source TEXT NOT NULL, created INTEGER NOT NULL, resolved INTEGER, who TEXT, reason TEXT,
    claim_session TEXT, claim_call TEXT, claim_locked INTEGER, details, payload
);
CREATE INDEX actions_stack ON actions (state, position);
CREATE INDEX actions_position ON actions (position);
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, action_id TEXT, kind TEXT NOT NULL,
    label TEXT NOT NULL, who TEXT NOT NULL, reason TEXT NOT NULL, outcome TEXT NOT NULL,
    code TEXT, text TEXT NOT NULL, session TEXT NOT NULL,
    call_id TEXT, files
);
CREATE INDEX audit_action ON audit (action_id);
CREATE TRIGGER audit_kept BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit rows are never rewritten'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit rows are never removed'); END;
CREATE TABLE intents (action_id TEXT PRIMARY KEY, created INTEGER NOT NULL, intent NOT NULL);
CREATE TABLE images (sha256 TEXT PRIMARY KEY, created INTEGER NOT NULL, image BLOB NOT NULL);
CREATE TABLE image_uses (
    action_id TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (action_id, sha256)
);
CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, kind TEXT NOT NULL,
    call_id TEXT, body NOT NULL
);
CREATE INDEX records_session ON records (session, seq);
"""

# Beside the actions, not in their rows: changing a row writes its whole payload again.
V2 = """
CREATE TABLE annotated (action_id TEXT PRIMARY KEY, revision INTEGER NOT NULL);
CREATE TABLE annotations (
    action_id TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, body NOT NULL,
    PRIMARY KEY (action_id, key)
) WITHOUT ROWID;
CREATE INDEX annotations_revision ON annotations (action_id, revision);
"""

MIGRATIONS = {0: V1, 1: V2}


def statements(script: str) -> list[str]:
    """Splits a script; a trigger's body ends with `END;` and stays whole."""
    whole_statements: list[str] = []
    part = ""
    for line in script.strip().splitlines():
        part += line + "\n"
        ends = line.endswith("END;") if "CREATE TRIGGER" in part else line.endswith(";")
        if ends:
            whole_statements.append(part.strip())
            part = ""
    return whole_statements
