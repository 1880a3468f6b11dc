"""What agents are told of each tool, with examples that a test runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RewriteExample:
    """A rewrite that the descriptions teach with; a test runs each of them."""

    pat: str
    out: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"  {self.pat} => {self.out}   turns {self.before} into {self.after}"


EXAMPLES = (
    RewriteExample("print($$$ARGS)", "log.info($$$ARGS)", "print(a, b=1)", "log.info(a, b=1)"),
    RewriteExample("$X == None", "$X is None", "user.name == None", "user.name is None"),
    RewriteExample("swap($A, $B)", "swap($B, $A)", "swap(f(1), y)", "swap(y, f(1))"),
)

RULES = """\
id: log-in-functions
language: python
rule:
  pattern: print($$$A)
  inside: {kind: function_definition, stopBy: end}
fix: log($$$A)
"""

EDIT = f"""\
Previews a structural rewrite over the workspace and stages it. NO FILE IS CHANGED: call \
`resolve` with the id it returns as `target` to apply or discard.
`pat` is code in the language of the files. It matches the syntax tree, so spacing and line \
breaks do not matter:
- $NAME (upper case) matches one node (expression, name, statement); the same name twice must \
match the same code.
- $$$NAME matches any number of nodes (arguments, statements); $_ and $$$ have no name.
- A hole stands for whole nodes, never for a part of a word or string.
- All else is literal: `f($A)` does not match `f(1, 2)` or `x.f(1)`; write `f($$$A)`, `$X.f($$$A)`.
`out` is the new code with the names of `pat`; "" deletes the match. Examples:
{chr(10).join(map(str, EXAMPLES))}
A pattern must parse by itself; if not, give `context` (code around it) and `selector` (the \
node kind meant). Ops are tried at every place in their order. Where the code around or \
inside decides, give `rules`. Matches that would lose comments or code are listed as blocked."""

PROVE = """\
Runs a command, such as the tests, with a staged plan (`target`) in a sandbox; no file is changed. \
It says whether that passes, and else which edits break it: leave them out by `exclude` of \
`resolve`, or preview again. The command must be one that this server was started to allow."""

CAPTURE = """\
Runs a command that changes files, such as a formatter or a codemod, in a sandbox, and stages \
what it changed as a preview; no file is changed. The command must be one that this server was \
started to allow. With `replay` "never" an apply compares the files and does not run it again."""

GREP = """\
Finds code by its structure, with the same `pat` and options as ast_edit; nothing is \
changed."""

LOCATE = """\
Says which definition a name means: a symbol (`Cart.total`), a route (`GET /users/{id}`) or an \
HTTP client. It answers one, many (candidates) or none; it is not a search."""

RENAME = """\
Previews the rename of a symbol with every evident reference, and stages it as ast_edit does. \
`identifier` is what `locate` takes. Of a route or a client `newName` is the whole new path."""

REFACTOR = """\
Previews a refactoring of Python code and stages it as ast_edit does. `identifiers` are what \
`locate` takes, several only to `move`; of `move_module` a path, of `codemod` a configured name, \
of `extract` a range `FILE:LINE-LINE`. `to` is a module, a path, or the new name."""

PENDING = """\
Lists the staged actions that wait for `resolve`, newest first. With `target` \
(an id) it shows that preview again; `paths` (globs, or as `only` of resolve) choose the part."""

RESOLVES = """\
Applies or discards a staged preview. Pass its id as `target`. Apply writes exactly what was \
previewed or nothing: if files have changed since, it fails as stale; preview again then."""

UNDO = """\
Previews the inverse of an applied action (`target` is its id) and stages it: `resolve` then \
puts every file back."""

ABOUT: dict[str, str] = {  # what a name alone does not say
    "ops": "The rewrites; their own options go first. Or rules, or both.",
    "rules": f"Rules with a fix, in ast-grep's YAML; several documents apart by ---. One:\n{RULES}",
    "patch": "Or a diff.",
    "like": "Or a plan's id, to do elsewhere.",
    "rule": "YAML in the place of `pat`: as under `rule:` in ast_edit's `rules`.",
    "paths": 'Files or directories; default ["."].',
    "glob": "gitignore syntax; ! excludes.",
    "within": "Only inside this symbol.",
    "allow_loss": "Even where code gets lost.",
    "imports": "Imports where this op edits.",
    "add_import": "Imports to add, as written in code.",
    "remove_import": "To remove where unused.",
    "prune_imports": "Remove those left unused.",
    "where": 'Regexes that captures must match: {"NAME": "^x"}.',
    "where_kind": "Likewise node kinds.",
    "after": "Id of a pending preview to preview on.",
    "replace": "Id of your pending preview to replace.",
}
