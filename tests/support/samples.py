"""One small text per language that parses without an error, with every provider."""

from tests.support.cases import all_cases

SAMPLES = {
    "bash": 'if [ -n "$1" ]; then echo "hi $1"; fi\n',
    "c": 'int main(void) { printf("%d", 1); return 0; }\n',
    "cpp": "template <typename T> T id(T x) { return x; }\n",
    "csharp": 'class A { void F() { G(1, "x"); } }\n',
    "css": "a.b { color: red; }\n",
    "dart": "int main() { print('x'); return 0; }\n",
    "elixir": 'defmodule A do\n  def f(x), do: "#{x}"\nend\n',
    "go": 'package p\n\nfunc f() { fmt.Println("x") }\n',
    "haskell": "module A where\n\nf :: Int -> Int\nf x = x + 1\n",
    "hcl": 'resource "a" "b" {\n  name = "x"\n}\n',
    "html": "<p class='x'>hi</p>\n",
    "java": "class A { int f(int x) { return g(x); } }\n",
    "javascript": "const f = (x) => <b>{x}</b>;\n",
    "json": '{"a": [1, true, null]}\n',
    "kotlin": 'fun f(x: Int): String { return "$x" }\n',
    "lua": "local function f(x) return x end\n",
    "markdown": "# Title\n\nSome *text*.\n\n```js\nfoo()\n```\n",
    "nix": "{ a ? 1, b }: a + b\n",
    "php": "function f($x) { echo $x->y; }\n",
    "python": "def f(x: int) -> int:\n    return x\n",
    "ruby": 'def f(x)\n  puts "#{x}"\nend\n',
    "rust": "fn f(x: &str) -> usize { x.len() }\n",
    "scala": "object A { def f(x: Int): Int = x }\n",
    "solidity": "contract A { function f() public { g(1); } }\n",
    "sql": "SELECT a FROM t WHERE b = 1;\n",
    "swift": "func f(_ x: Int) -> Int { return x }\n",
    "toml": '[a]\nb = "c"\n',
    "tsx": "const f = (x: number) => <b>{x}</b>;\n",
    "typescript": "const f = <T,>(x: T): T => x;\n",
    "yaml": "a:\n  - b: 1\n",
    "zig": "fn f(x: u8) u8 {\n    return x;\n}\n",
}


def sample(language: str) -> str:
    """The text of a language; of one that has none here, what its first case begins with."""
    if language in SAMPLES:
        return SAMPLES[language]
    case = next(case for case in all_cases() if case.path.parent.name == language)
    return next(iter(case.before.values())).decode()
