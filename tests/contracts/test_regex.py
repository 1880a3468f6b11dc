"""Expressions that meet foreign text, or come from others, are RE2's: linear in any text."""

import ast

from tests.support.sources import nodes, trees

ROOMS = ("astedit/proving", "astedit/sandbox")  # what commands print is read here
OWN_TEXT = {"astedit/sandbox/sandbox.py"}  # the kernel's list of mounts
# Where an expression is put together: of names that are escaped, or of parts of our own.
PUT_TOGETHER = {
    "astedit/locating/frameworks/table.py",
    "astedit/locating/set_path.py",
    "astedit/workspace/gitignore.py",  # atomic groups: no way back
    "astedit/rule/regex.py",  # what RE2 is asked
    *(
        "astedit/engine/files/places.py",
        "astedit/language/__init__.py",
        "astedit/review/agreement.py",
    ),
    *("astedit/explanation/spellings.py", "astedit/pattern/dotted.py"),
    *(
        "astedit/pattern/required_text.py",
        "astedit/rewrite/loss.py",
        "astedit/rule/fixes/transform.py",
    ),
    *("astedit/rewrite/make/template_leaves.py", "astedit/python/spelled.py"),
    "astedit/semantic/move/move_module.py",
    *("astedit/semantic/file_imports.py", "astedit/semantic/rename/gather.py"),
    *("astedit/semantic/rename/definition_nodes.py", "astedit/semantic/script/files.py"),
    "astedit/hook/shell.py",  # from the table beside it
}
CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


def patterns(tree: ast.AST) -> list[ast.expr]:
    """The expressions that a module gives to `re`."""
    return [
        node.args[0]
        for node in nodes(tree)
        if isinstance(node, ast.Call) and node.args
        and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    ]  # fmt: skip


def is_own(pattern: ast.expr) -> bool:
    """Whether an expression is written down, but for parts that are escaped or constants."""
    match pattern:
        case ast.Constant():
            return True
        case ast.BinOp(left, _, right):
            return is_own(left) and is_own(right)
        case ast.JoinedStr(values):
            return all(map(is_own, values))
        case ast.FormattedValue(value):
            return is_own(value)
        case ast.Call(ast.Attribute(ast.Name("re"), "escape")):
            return True
        case ast.Name(name) | ast.Attribute(_, name):
            return name.lstrip("_").isupper()
        case ast.Call(ast.Attribute(ast.Constant(), "join"), [ast.GeneratorExp(element)]):
            return is_own(element)
        case ast.Call(
            ast.Attribute(ast.Constant(), "join"), [ast.Call(ast.Name("map"), [first, *_])]
        ):
            return ast.unparse(first) == "re.escape"
    return False


def test_what_commands_print_meets_no_expression_that_can_go_back() -> None:
    users = {
        path
        for path, tree in trees().items()
        if path.startswith(ROOMS)
        for node in nodes(tree)
        if isinstance(node, ast.Import)
        and any(alias.name == "re" for alias in node.names)
    }  # fmt: skip
    assert users == OWN_TEXT


def test_no_expression_of_others_comes_to_re() -> None:
    assert {
        path: ast.unparse(pattern)
        for path, tree in trees().items()
        for pattern in patterns(tree)
        if path not in PUT_TOGETHER and not is_own(pattern)
    } == {}


def test_an_expression_of_others_is_seen() -> None:
    for line in ("re.compile(flag)", "re.search(f'x{name}', text)", "re.sub('a' + b, c, d)"):
        assert not all(map(is_own, patterns(ast.parse(line)))), line
    assert "astedit/proving/plan_judge.py" in trees()
