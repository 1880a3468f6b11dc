"""Where a piece of code may stand: the texts the doctor tries around a pattern.

A grammar parses whole files. `"a": $V` is no JSON file and `foo($A)` no C file, though
both are what people write to find one. Each row below is a place in a small whole file;
`…` is where the pattern goes. The first place where it parses is the best suggestion, so
the likelier ones come first.
"""

from collections.abc import Iterator

PLACE = "…"

_C = """
an expression in a function | void f() { …; }
a statement in a function | void f() { … }
a value | int x = …;
a struct member | struct s { … };
a case of a switch | void f() { switch (x) { … } }
an entry of an initializer | int x[] = { … };
a parameter | void f(…);
a type | … x;
"""
_JAVASCRIPT = """
an entry of an object | x = { … };
a class member | class A { … }
a value | x = …;
a statement in an async function | async function f() { … }
a statement in a generator | function* f() { … }
a case of a switch | switch (x) { … }
an attribute of a JSX element | <a … />
a catch or finally clause | try {} …
a parameter | function f(…) {}
a name of an import | import { … } from "m";
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
a member of an interface | interface A { … }
a type | type T = …;
a member of an enum | enum A { … }
a type parameter | type T<…> = 1;
"""
)

_BY_NAME = {
    "bash": """
a case of a case statement | case x in … esac
a test | if …; then :; fi
a word | echo …
""",
    "c": _C,
    "cpp": _C
    + """
a class member | class A { … };
a namespace member | namespace n { … }
a catch clause | void f() { try {} … }
""",
    "csharp": """
a class member | class A { … }
an expression in a method | class A { void F() { …; } }
a statement in a method | class A { void F() { … } }
a value | class A { void F() { x = …; } }
a member of an interface | interface A { … }
a member of an enum | enum A { … }
an accessor of a property | class A { int P { … } }
a case of a switch | class A { void F() { switch (x) { … } } }
a catch clause | class A { void F() { try {} … } }
a parameter | class A { void F(…) {} }
a type | class A { … x; }
an attribute | class A { … void F() {} }
""",
    "css": """
a declaration | a { …; }
a declaration | a { … }
a value | a { color: … }
a selector | … { }
a media query | @media … { }
""",
    "dart": """
an expression in a function | void f() { …; }
a statement in a function | void f() { … }
a value | var x = …;
a class member | class A { … }
an argument | void f() { g(…); }
an entry of a map | var x = { … };
a case of a switch | void f() { switch (x) { … } }
a parameter | void f(…) {}
""",
    "elixir": """
a clause | case x do … end
an entry of a map | %{ … }
an argument | f(…)
a block | f do … end
""",
    "go": """
a statement in a function | func f() { … }
a value | var x = …
a struct field | type t struct { … }
a method of an interface | type t interface { … }
an entry of a composite literal | var x = T{ … }
a case of a switch | func f() { switch x { … } }
a case of a select | func f() { select { … } }
an import | import ( … )
a parameter | func f(…) {}
a type | var x …
""",
    "haskell": """
a statement of a do block | f y = do { … }
a value | f y = …
a type | f :: …
an alternative of a case | f y = case y of { … }
a class member | class A b where { … }
""",
    "hcl": """
a value | x = …
an entry of an object | x = { … }
""",
    "html": """
an attribute | <a …></a>
""",
    "java": """
a class member | class A { … }
an expression in a method | class A { void f() { …; } }
a statement in a method | class A { void f() { … } }
a value | class A { void f() { x = …; } }
a member of an interface | interface A { … }
a case of a switch | class A { void f() { switch (x) { … } } }
a catch clause | class A { void f() { try {} … } }
an enum constant | enum A { … }
a parameter | class A { void f(…) {} }
a type | class A { … x; }
an annotation | … class A {}
""",
    "javascript": _JAVASCRIPT,
    "json": """
an entry of an object | { … }
a value | [ … ]
""",
    "kotlin": """
a class member | class A { … }
a statement in a function | fun f() { … }
a value | val x = …
an argument | val x = f(…)
an entry of a when | val x = when (y) { … }
a catch clause | val x = try { } …
a parameter | fun f(…) {}
a type | val x: … = 1
""",
    "lua": """
a value | x = …
a field of a table | x = { … }
""",
    "markdown": "",
    "nix": """
an entry of a set | { … }
an entry of a let | let … in x
an element of a list | [ … ]
a function's argument | { … }: x
""",
    "php": """
a class member | class A { … }
an expression | …;
a statement | function f() { … }
a value | $x = …;
an entry of an array | $x = [ … ];
an arm of a match | $x = match ($y) { … };
a case of a switch | switch ($x) { … }
a catch clause | try {} …
a parameter | function f(…) {}
an attribute | … function f() {}
""",
    "python": """
a keyword argument | f(…)
an entry of a dict | { … }
a clause of a try | try:\\n    pass\\n…
a clause of an if | if a:\\n    pass\\n…
a case of a match | match x:\\n    …
a decorator | …\\ndef f(): pass
a parameter | def f(…): pass
a type | x: …
an element of a subscript | x[…]
a comprehension's clause | [x …]
an item of a with | with …: pass
a name of an import | from m import …
""",
    "ruby": """
an entry of a hash | x = { … }
an argument | f(…)
a clause of a case | case x\\n…\\nend
a clause of a begin | begin\\n  a\\n…\\nend
a parameter | def f(…)\\nend
""",
    "rust": """
an expression in a function | fn f() { …; }
a statement in a function | fn f() { … }
a value | fn f() { x = …; }
a struct field | struct S { … }
a field of a struct expression | fn f() { S { … }; }
an arm of a match | fn f() { match x { … } }
a pattern | fn f() { let … = x; }
an item of an impl | impl S { … }
a variant of an enum | enum E { … }
a type | type T = …;
a parameter | fn f(…) {}
""",
    "scala": """
a value | val x = …
a class member | class A { … }
a case of a match | x match { … }
a parameter | def f(…) = 1
a type | val x: … = 1
""",
    "solidity": """
a contract member | contract A { … }
an expression in a function | contract A { function f() { …; } }
a statement in a function | contract A { function f() { … } }
a value | contract A { function f() { x = …; } }
""",
    "sql": """
a value | SELECT …;
a condition | SELECT a FROM t WHERE …;
a clause of a select | SELECT a FROM t …;
a column of a table | CREATE TABLE t (…);
""",
    "swift": """
a class member | class A { … }
a statement in a function | func f() { … }
a value | let x = …
a case of a switch | switch x { … }
a parameter | func f(…) {}
a type | let x: … = 1
""",
    "toml": """
a value | x = …
""",
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT.replace("an attribute of a JSX element | <a … />\n", ""),
    "yaml": "",
    "zig": """
an expression in a function | fn f() void { …; }
a statement in a function | fn f() void { … }
a value | const x = …;
a field of a struct | const S = struct { … };
a prong of a switch | const x = switch (y) { … };
a type | const x: … = 1;
""",
}


def contexts(language: str) -> Iterator[tuple[str, str]]:
    """Pairs of what the place is called and the text around `PLACE`, likeliest first."""
    for line in filter(None, _BY_NAME[language].splitlines()):
        title, _, template = line.partition(" | ")
        yield title, template.replace("\\n", "\n")
