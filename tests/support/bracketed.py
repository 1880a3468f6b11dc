"""For each language a place for an expression, and one expression of each kind it may group.

`…` is the place. A line is `kind | expression`.
"""

PLACES = {
    "c": "int f() { x = …; }",
    "cpp": "int f() { x = …; }",
    "csharp": "class A { void F() { x = …; } }",
    "dart": "void f() { x = …; }",
    "elixir": "x = …",
    "go": "package p\nfunc f() { x = … }",
    "haskell": "f y = …",
    "hcl": "x = …",
    "java": "class A { void f() { x = …; } }",
    "javascript": "async function* f() { x = …; }",
    "kotlin": "val x = …",
    "lua": "x = …",
    "nix": "…",
    "php": "$x = …;",
    "python": "x = …",
    "ruby": "x = …",
    "rust": "fn f() { x = …; }",
    "scala": "val x = …",
    "solidity": "contract A { function f() { x = …; } }",
    "sql": "SELECT …;",
    "swift": "let x = …",
    "tsx": "async function* f() { x = …; }",
    "typescript": "async function* f() { x = …; }",
    "zig": "fn f() void { x = …; }",
}
_C = """
assignment_expression | a = b
binary_expression | a + b
call_expression | f(a)
cast_expression | (int) a
comma_expression | a, b
compound_literal_expression | (struct s) { 1 }
conditional_expression | a ? b : c
field_expression | a->b
number_literal | 1
pointer_expression | *a
sizeof_expression | sizeof a
subscript_expression | a[0]
unary_expression | -a
update_expression | a++
"""
_JAVASCRIPT = """
array | [a]
arrow_function | a => b
assignment_expression | a = b
augmented_assignment_expression | a += b
await_expression | await a
binary_expression | a + b
call_expression | f(a)
class | class {}
function_expression | function () {}
generator_function | function* () {}
member_expression | a.b
new_expression | new A()
number | 1
object | {a: b}
regex | /a/
sequence_expression | a, b
string | "a"
subscript_expression | a[0]
template_string | `a`
ternary_expression | a ? b : c
unary_expression | !a
update_expression | a++
yield_expression | yield a
"""
_JSX = """
jsx_element | <a>b</a>
jsx_self_closing_element | <a />
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
as_expression | a as b
instantiation_expression | a<b>
non_null_expression | a!
satisfies_expression | a satisfies b
"""
)
EXPRESSIONS = {
    "c": _C,
    "cpp": _C
    + """
co_await_expression | co_await a
delete_expression | delete a
lambda_expression | [] { return a; }
new_expression | new A()
user_defined_literal | 1_km
""",
    "csharp": """
anonymous_method_expression | delegate { f(); }
anonymous_object_creation_expression | new { a = b }
array_creation_expression | new int[1]
as_expression | a as B
assignment_expression | a = b
await_expression | await a
binary_expression | a + b
cast_expression | (int) a
checked_expression | checked(a)
conditional_access_expression | a?.b
conditional_expression | a ? b : c
default_expression | default(int)
element_access_expression | a[0]
implicit_array_creation_expression | new[] { a }
integer_literal | 1
interpolated_string_expression | $"{a}"
invocation_expression | f(a)
is_expression | a is int
is_pattern_expression | a is > 1
lambda_expression | a => b
object_creation_expression | new A()
postfix_unary_expression | a++
prefix_unary_expression | -a
query_expression | from a in b select a
range_expression | a..b
real_literal | 1.5
string_literal | "a"
switch_expression | a switch { _ => b }
tuple_expression | (a, b)
typeof_expression | typeof(int)
verbatim_string_literal | @"a"
with_expression | a with { b = c }
""",
    "dart": """
additive_expression | a + b
assignment_expression | a = b
await_expression | await a
bitwise_and_expression | a & b
bitwise_or_expression | a | b
bitwise_xor_expression | a ^ b
conditional_expression | a ? b : c
const_object_expression | const A()
decimal_floating_point_literal | 1.5
decimal_integer_literal | 1
equality_expression | a == b
function_expression | (a) => b
if_null_expression | a ?? b
list_literal | [a]
logical_and_expression | a && b
logical_or_expression | a || b
multiplicative_expression | a * b
new_expression | new A()
postfix_expression | a++
relational_expression | a < b
set_or_map_literal | {a: b}
shift_expression | a << b
string_literal | "a"
throw_expression | throw a
type_cast_expression | a as B
type_test_expression | a is B
unary_expression | -a
""",
    "elixir": """
access_call | a[0]
anonymous_function | fn a -> b end
binary_operator | a + b
bitstring | <<a>>
call | f(a)
float | 1.5
integer | 1
list | [a]
map | %{a: b}
string | "a"
tuple | {a, b}
unary_operator | -a
""",
    "go": """
binary_expression | a + b
call_expression | f(a)
composite_literal | T{a}
float_literal | 1.5
func_literal | func() {}
index_expression | a[0]
int_literal | 1
interpreted_string_literal | "a"
raw_string_literal | `a`
selector_expression | a.b
slice_expression | a[0:1]
type_assertion_expression | a.(T)
unary_expression | -a
""",
    "haskell": """
apply | g a
case | case a of { b -> c }
conditional | if a then b else c
do | do { a }
infix | a + b
lambda | \\a -> b
lambda_case | \\case { a -> b }
let_in | let { a = b } in c
list | [a]
list_comprehension | [a | a <- b]
literal | 1
negation | -a
projection | a.b
record | A { a = b }
signature | a :: B
tuple | (a, b)
""",
    "hcl": """
binary_operation | a + b
collection_value | [a]
conditional | a ? b : c
expression | a
for_expr | [for a in b : a]
function_call | f(a)
literal_value | 1
operation | a + b
unary_operation | !a
""",
    "java": """
array_access | a[0]
array_creation_expression | new int[1]
assignment_expression | a = b
binary_expression | a + b
cast_expression | (int) a
decimal_floating_point_literal | 1.5
decimal_integer_literal | 1
instanceof_expression | a instanceof B
lambda_expression | a -> b
method_invocation | f(a)
method_reference | A::b
object_creation_expression | new A()
string_literal | "a"
switch_expression | switch (a) { default -> b; }
ternary_expression | a ? b : c
unary_expression | -a
update_expression | a++
""",
    "javascript": _JAVASCRIPT + _JSX,
    "kotlin": """
anonymous_function | fun() {}
as_expression | a as B
binary_expression | a + b
call_expression | f(a)
callable_reference | ::a
float_literal | 1.5
if_expression | if (a) b else c
in_expression | a in b
index_expression | a[0]
infix_expression | a to b
is_expression | a is B
lambda_literal | { a }
multiline_string_literal | \"\"\"a\"\"\"
navigation_expression | a.b
number_literal | 1
object_literal | object : A {}
range_expression | a..b
return_expression | return a
string_literal | "a"
throw_expression | throw a
try_expression | try { a } finally { b }
unary_expression | -a
when_expression | when (a) { else -> b }
""",
    "lua": """
binary_expression | a + b
bracket_index_expression | a[0]
dot_index_expression | a.b
function_definition | function() end
number | 1
string | "a"
table_constructor | {a}
unary_expression | -a
""",
    "nix": """
apply_expression | f a
assert_expression | assert a; b
attrset_expression | { a = b; }
binary_expression | a + b
float_expression | 1.5
function_expression | a: b
has_attr_expression | a ? b
if_expression | if a then b else c
indented_string_expression | ''a''
integer_expression | 1
let_expression | let a = b; in c
list_expression | [ a ]
path_expression | ./a
rec_attrset_expression | rec { a = b; }
select_expression | a.b
string_expression | "a"
unary_expression | -a
with_expression | with a; b
""",
    "php": """
anonymous_function | function () {}
array_creation_expression | [1]
arrow_function | fn() => 1
assignment_expression | $a = 1
augmented_assignment_expression | $a += 1
binary_expression | $a + 1
cast_expression | (int) $a
class_constant_access_expression | A::B
clone_expression | clone $a
conditional_expression | $a ? 1 : 2
encapsed_string | "$a"
error_suppression_expression | @$a
float | 1.5
function_call_expression | f($a)
include_expression | include $a
integer | 1
match_expression | match ($a) { default => 1 }
member_access_expression | $a->b
member_call_expression | $a->b()
nullsafe_member_access_expression | $a?->b
nullsafe_member_call_expression | $a?->b()
object_creation_expression | new A()
print_intrinsic | print $a
require_expression | require $a
scoped_call_expression | A::b()
scoped_property_access_expression | A::$b
string | 'a'
subscript_expression | $a[0]
throw_expression | throw $a
unary_op_expression | -$a
update_expression | $a++
yield_expression | yield $a
""",
    "python": """
attribute | a.b
await | await a
binary_operator | a + b
boolean_operator | a and b
call | f(a)
comparison_operator | a < b
concatenated_string | "a" "b"
conditional_expression | a if b else c
dictionary | {a: b}
dictionary_comprehension | {a: b for a in c}
float | 1.5
integer | 1
lambda | lambda: a
list | [a]
list_comprehension | [a for a in b]
named_expression | a := b
not_operator | not a
set | {a}
set_comprehension | {a for a in b}
string | "a"
subscript | a[0]
tuple | (a, b)
unary_operator | -a
yield | yield a
""",
    "ruby": """
array | [a]
assignment | a = b
begin | begin; a; end
binary | a + b
call | f(a)
case | case a; when b then c; end
conditional | a ? b : c
element_reference | a[0]
float | 1.5
hash | {a => b}
if | if a; b; end
if_modifier | a if b
integer | 1
lambda | -> { a }
operator_assignment | a += b
range | a..b
regex | /a/
rescue_modifier | a rescue b
simple_symbol | :a
string | "a"
unary | -a
unless | unless a; b; end
unless_modifier | a unless b
yield | yield a
""",
    "rust": """
array_expression | [a]
assignment_expression | a = b
async_block | async { a }
await_expression | a.await
binary_expression | a + b
block | { a }
break_expression | break a
call_expression | f(a)
closure_expression | |a| b
compound_assignment_expr | a += b
field_expression | a.b
float_literal | 1.5
if_expression | if a { b } else { c }
index_expression | a[0]
integer_literal | 1
loop_expression | loop { a }
macro_invocation | f!(a)
match_expression | match a { _ => b }
range_expression | a..b
reference_expression | &a
return_expression | return a
string_literal | "a"
struct_expression | A { a: b }
try_expression | a?
tuple_expression | (a, b)
type_cast_expression | a as B
unary_expression | -a
unsafe_block | unsafe { a }
""",
    "scala": """
ascription_expression | a: B
assignment_expression | a = b
block | { a }
call_expression | f(a)
floating_point_literal | 1.5
for_expression | for (a <- b) yield a
if_expression | if (a) b else c
infix_expression | a + b
instance_expression | new A()
integer_literal | 1
interpolated_string_expression | s"$a"
lambda_expression | a => b
match_expression | a match { case b => c }
postfix_expression | a size
prefix_expression | -a
return_expression | return a
string | "a"
throw_expression | throw a
try_expression | try a finally b
tuple_expression | (a, b)
""",
    "solidity": """
array_access | a[0]
assignment_expression | a = b
augmented_assignment_expression | a += b
binary_expression | a + b
call_expression | f(a)
expression | a
new_expression | new A
number_literal | 1
ternary_expression | a ? b : c
unary_expression | -a
update_expression | a++
""",
    "sql": """
between_expression | a BETWEEN 1 AND 2
binary_expression | a + b
case | CASE WHEN a THEN b END
cast | CAST(a AS int)
exists | EXISTS (SELECT 1)
invocation | f(a)
literal | 1
unary_expression | NOT a
""",
    "swift": """
additive_expression | a + b
array_literal | [a]
as_expression | a as B
await_expression | await a
bitwise_operation | a & b
call_expression | f(a)
check_expression | a is B
comparison_expression | a < b
conjunction_expression | a && b
dictionary_literal | [a: b]
disjunction_expression | a || b
equality_expression | a == b
infix_expression | a +++ b
integer_literal | 1
lambda_literal | { a }
line_string_literal | "a"
multiplicative_expression | a * b
navigation_expression | a.b
nil_coalescing_expression | a ?? b
postfix_expression | a!
prefix_expression | -a
range_expression | a...b
real_literal | 1.5
ternary_expression | a ? b : c
try_expression | try a
""",
    "tsx": _TYPESCRIPT + _JSX,
    "typescript": _TYPESCRIPT + "type_assertion | <a>b\n",
    "zig": """
anonymous_struct_initializer | .{ 1 }
await_expression | await a
binary_expression | a + b
builtin_function | @f(a)
call_expression | f(a)
catch_expression | a catch b
comptime_expression | comptime a
dereference_expression | a.*
field_expression | a.b
float | 1.5
if_expression | if (a) b else c
index_expression | a[0]
integer | 1
null_coercion_expression | a.?
return_expression | return a
string | "a"
struct_initializer | A{ .a = b }
switch_expression | switch (a) { else => b }
try_expression | try a
unary_expression | -a
""",
}
