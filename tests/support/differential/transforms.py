"""The texts that transforms make, by our reading and by `ast-grep scan`."""

import json
from pathlib import Path

from astedit.language import load
from astedit.rule import compile_document, read_rules
from tests.support.differential.rules import document, scan


def ours(text: str, source: bytes) -> list[str]:
    rule = read_rules(document("javascript", text).encode())[0]
    finder = compile_document(rule, rule.languages[0])
    matches = finder.find(load(rule.languages[0]).parser().parse(source).root_node, source)
    return [match.texts["T"].data.decode() for match in matches]


def theirs(folder: Path, text: str, source: bytes) -> list[str]:
    done = scan(folder, "javascript", text, source)
    assert done.stdout, done.stderr
    return [match["metaVariables"]["transformed"]["T"] for match in json.loads(done.stdout)]
