"""What stands where: operands, templates with `$A`, and surroundings with `…`, by language.

A line of a table is one entry; `⏎` stands for the end of one. A file is a `head`, functions with a
statement each in the place of `…`, and a `tail`.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Table(NamedTuple):
    """The matrix of one language: each operand in each template in each surrounding."""

    head: str
    frame: str
    tail: str
    operands: tuple[str, ...]
    templates: tuple[str, ...]
    surroundings: tuple[str, ...]

    @classmethod
    def of(cls, frame: str, operands: str, templates: str, surroundings: str) -> "Table":
        head, frame, tail = frame.split("%")
        return cls(head, frame, tail, _lines(operands), _lines(templates), _lines(surroundings))


def _lines(text: str) -> tuple[str, ...]:
    lines = (line.strip().replace("⏎", "\n") for line in text.split("\n"))
    return tuple(dict.fromkeys(line for line in lines if line))


_C_OPERANDS = """
    a
    1
    a + b
    a - b
    -b
    !b
    a * b
    a && b
    a || b
    a == b
    a < b
    a << b
    a & b
    a.b
    a[0]
    f(a)
    "s"
"""
_C_TEMPLATES = """
    $A
    $A + 1
    1 - $A
    k-$A
    k*$A
    k&$A
    $A * 2
    $A / 2
    -$A
    !$A
    $A == 1
    $A < k
    k<$A
    k << $A
    $A & k
    $A && k
    k || $A
    $A.b
    $A.m(k)
    $A[0]
    h($A)
    h($A, k)
    ($A)
"""
_C_PLACES = """
    x = …
    x = y + …
    x = y - …
    x = y-…
    x = … * y
    x = y * …
    x = !…
    x = -…
    x = ….c
    x = …[0]
    x = h(…, y)
    x = h(…)
    x = … == y
    x = y && …
    x = … || y
    x = … < y
    x = y << …
    x = z[…]
    return …
"""
_TERNARY = "a ? b : c\n"
_STATEMENTS = "".join(f"{place};\n" for place in _C_PLACES.split("\n") if place.strip())

_SCRIPT_OPERANDS = (
    _C_OPERANDS
    + _TERNARY
    + """
    a = b
    a += b
    a ?? b
    a?.b
    a?.b()
    a++
    typeof a
    await a
    yield a
    new A
    new A()
    new A().b
    a => b
    async a => b
    (a) => { b }
    function () {}
    class {}
    { b: a }
    { b: a }.b
    [a]
    `t`
    /r/
    a ** b
    a in b
    a as B
    await a as B
    a!
    a || b!
    -a!
    a && b as B
    a satisfies B
    a.b<B>(c)
"""
)
_SCRIPT_TEMPLATES = (
    _C_TEMPLATES
    + """
    $A ? 1 : 2
    k ? $A : 2
    k ? 1 : $A
    $A ?? k
    k ?? $A
    $A ** 2
    2 ** $A
    $A?.b
    $A()
    new $A
    new $A(k)
    typeof $A
    await $A
    void $A
    delete $A
    $A as T
    $A satisfies T
    $A!
    k => $A
    () => { $A }
    async () => $A
    { k: $A }
    [$A, k]
    { ...$A }.z
    `${$A}`
    $A in k
    k in $A
    $A instanceof k
    y = $A
    $A, k
"""
)
_SCRIPT_PLACES = (
    _STATEMENTS
    + """
    …;
    x = … as B;
    x = …!;
    x = …!.b;
    x = y || …!;
    x = y => …;
    x = ….b!;
    x = [...…];
    x = { y: …, ...… };
    x = await …;
    x = typeof …;
    x = … ? y : z;
    x = y ? … : z;
    x = y ? z : …;
    x = … ?? y;
    x = y ** …;
    x = … ** y;
    x = …?.c;
    x = new (…);
    x = …();
    x = `${…}`;
    if (…) y;
    for (const i of …) y;
    for (let i = …; y; z) w;
    throw …;
    x += …;
"""
)

TABLES: Mapping[str, Table] = {
    "typescript": Table.of(
        "%async function* w() {\n  …\n}\n%", _SCRIPT_OPERANDS, _SCRIPT_TEMPLATES, _SCRIPT_PLACES
    ),
    "tsx": Table.of(
        "%async function* w() {\n  …\n}\n%",
        _SCRIPT_OPERANDS + "<p/>\n<p>{a}</p>\n",
        _SCRIPT_TEMPLATES + "<p>{$A}</p>\n<p a={$A}/>\n",
        _SCRIPT_PLACES + "x = <p>{…}</p>;\nx = <p a={…}/>;\nx = <p {...…}/>;\n",
    ),
    "go": Table.of(
        "package p\n\n%func w() {\n\t…\n}\n%",
        _C_OPERANDS
        + """
    *b
    &b
    <-b
    ^b
    a.(T)
    T{1}
    &T{1}
    T{1}.x
    []int{1}
    map[string]int{"a": 1}
    func() {}
    func() int { return 1 }()
    []byte(a)
    a[1:2]
    a &^ b
    a | b
    a % b
    `r`
    1.5
    'c'
    a[T](b)
    *a.b
    (a)
    struct{}{}
    [2]int{1, 2}
    chan int(a)
    """,
        _C_TEMPLATES
        + """
    &$A
    *$A
    <-$A
    ^$A
    k/$A
    k^$A
    $A.(T)
    $A[1:]
    []int{$A}
    T{x: $A}
    T{$A}
    func() int { return $A }
    func() int { return $A }()
    $A()
    go $A
    defer $A
    return $A
    k := $A
    k = $A
    $A | k
    k % $A
    []byte($A)
    *$A.b
    $A, k
    """,
        _C_PLACES
        + """
    …
    x := …
    x, y := …, z
    if … { y() }
    if x := …; x { y() }
    if x := y; … { y() }
    for … { y() }
    for x := range … { y() }
    for x := …; x < y; x++ { y() }
    switch … { case y: z() }
    switch x { case …: z() }
    switch x := y; … { }
    x = *…
    x = &…
    x = <-…
    x = ^…
    x = y &^ …
    x = y&…
    x = y<…
    x = y/…
    x = ….(T)
    x = …[1:]
    x = …()
    x <- …
    … <- x
    go …
    defer …
    x = []int{…, y}
    x = T{y: …}
    x = map[string]int{…: y, z: …}
    x = func() int { return … }
    x += …
    …++
    var x = …
    const x = …
    return …, y
    x = y[…:]
    select { case x := <-…: y() }
    """,
    ),
    "java": Table.of(
        "class A {\n%    void w() {\n        …\n    }\n%}\n",
        _C_OPERANDS
        + _TERNARY
        + """
    a = b
    a += b
    a++
    ++a
    --a
    ~a
    +a
    (int) a
    (B) a
    a instanceof B
    a -> b
    (a) -> { return b; }
    () -> b
    A::b
    new A()
    new A().b
    new int[1]
    new int[] {1}
    new A() { void f() {} }
    a.b(c)
    this
    this.b
    null
    int.class
    'c'
    1.5
    switch (a) { default -> b; }
    a.b[0]
    a >> b
    a | b
    a ^ b
    a % b
    a.<B>b()
    """,
        _C_TEMPLATES
        + """
    $A ? 1 : 2
    k ? $A : 2
    k ? 1 : $A
    (int) $A
    (T) $A
    (List<T>) $A
    ~$A
    +$A
    k+$A
    k>$A
    $A++
    --$A
    $A = k
    k = $A
    k += $A
    $A instanceof T
    $A::m
    x -> $A
    x -> { return $A; }
    () -> { $A; }
    new T($A)
    new int[$A]
    new int[] {$A}
    $A.new T()
    $A >> 1
    k | $A
    k ^ $A
    switch ($A) { default -> 1; }
    switch (k) { case 1 -> $A; default -> 2; }
    """,
        _STATEMENTS
        + """
    …;
    int x = …;
    x = (int) …;
    x = (B) …;
    x = ~…;
    x = y+…;
    x = … ? y : z;
    x = y ? … : z;
    x = y ? z : …;
    x = … instanceof B;
    x = y -> …;
    x = …::m;
    x = y > …;
    x = y >> …;
    x = y | …;
    x += …;
    if (…) y();
    while (…) y();
    for (int i = 0; …; i++) y();
    for (int i : …) y();
    for (…; y; z) w();
    throw …;
    assert … : y;
    synchronized (…) { y(); }
    int[] x = {…, y};
    x = new int[…];
    x = new T(…).m();
    switch (…) { default: y(); }
    y: …;
    do y(); while (…);
    if (y) …;
    x = switch (y) { case 1 -> …; default -> z; };
    """,
    ),
    "rust": Table.of(
        "%fn w() {\n    …\n}\n%",
        _C_OPERANDS
        + """
    a as u8
    1 + a as u8
    &a
    &mut a
    *a
    &a as B
    -a as u8
    a?
    a.await
    a..b
    ..b
    a..
    a..=b
    a = b
    a += b
    |a| a + b
    || a
    move |a| { a }
    match a { _ => 1 }
    if a { 1 } else { 2 }
    { 1 }
    unsafe { 1 }
    loop { break 1 }
    async { 1 }
    return a
    return
    break
    A { b: a }
    A { b: a }.b
    (a, b)
    [a, b]
    a.0
    1.5
    'c'
    a.b::<C>()
    A::b
    vec![a]
    a | b
    a ^ b
    a % b
    b"s"
    if let Some(x) = a { 1 } else { 2 }
    """,
        _C_TEMPLATES
        + """
    $A as f64
    &$A
    &mut $A
    *$A
    $A?
    $A.await
    $A..k
    k..$A
    k..=$A
    ..$A
    $A..
    |x| $A
    || $A
    { $A }
    match $A { _ => 1 }
    match k { _ => $A }
    if $A { 1 } else { 2 }
    if k { $A } else { 2 }
    if let Some(x) = $A { 1 } else { 2 }
    while $A { 1 }
    T { x: $A }
    Some($A)
    ($A, k)
    [$A, k]
    [$A; 3]
    $A()
    $A.0
    return $A
    k = $A
    $A = k
    $A += k
    $A | k
    k ^ $A
    async { $A }
    unsafe { $A }
    """,
        _STATEMENTS
        + """
    …;
    …
    let x = …;
    let x = &…;
    let x = *…;
    let x = … as u8;
    let x = …?;
    let x = ….await;
    let x = …..y;
    let x = y..…;
    let x = y > …;
    let x = … >= y;
    let x = … << y;
    let x = |y| …;
    let x = …();
    let x = ….0;
    let x = (…, y);
    let x = [y, …];
    let x = T { y: … };
    if … { y }
    if let Some(y) = … { z }
    while … { y }
    for y in … { z }
    match … { _ => y }
    match x { _ if … => y, _ => … }
    match x { a => …, b => z }
    x += …;
    let x = { …; y };
    let x = 1 + … < y;
    return … + y;
    let x = if y { … } else { … };
    """,
    ),
    "ruby": Table.of(
        "%def w\n  …\nend\n%",
        """
    a
    1
    a + b
    a - b
    -b
    !b
    a * b
    a ** b
    a && b
    a || b
    a and b
    not a
    a == b
    a < b
    a << b
    a <=> b
    a =~ b
    a.b
    a.b(c)
    a.b c
    b c
    a&.b
    a[0]
    f(a)
    f a
    f(a) { |x| x }
    a.map do |x| x end
    "s"
    "s#{a}"
    :s
    [a, b]
    { b: a }
    ->(x) { x }
    a ? b : c
    a = b
    a += b
    a ||= b
    a..b
    a...b
    (a..b)
    a if b
    a unless b
    a rescue b
    if a then b else c end
    case a when b then c end
    yield a
    yield(a)
    defined?(a)
    defined? a
    return
    self
    nil
    @a
    $a
    A
    A::B
    ~a
    *a
    /r/
    %w[a b]
    lambda { a }
    a.b = c
    super
    super a
    """,
        """
    $A
    $A + 1
    1 - $A
    k-$A
    k -$A
    $A * 2
    $A ** 2
    -$A
    !$A
    not $A
    $A == 1
    $A < k
    k << $A
    $A && k
    k || $A
    $A and k
    k or $A
    $A.b
    $A.m(k)
    $A.m k
    $A&.b
    $A[0]
    h($A)
    h($A, k)
    h $A
    h $A, k
    h k, $A
    h(k: $A)
    h(*$A)
    h { $A }
    h do $A end
    ($A)
    [$A, k]
    { k => $A }
    { k: $A }
    ->(x) { $A }
    $A ? 1 : 2
    k ? $A : 2
    k ? 1 : $A
    y = $A
    y ||= $A
    $A..k
    k..$A
    $A if k
    k if $A
    k unless $A
    $A rescue k
    k rescue $A
    if $A then k end
    if k then $A end
    "t#{$A}"
    return $A
    yield $A
    yield($A)
    defined?($A)
    $A::K
    ~$A
    raise K, $A
    puts $A
    $A.nil?
    $A =~ k
    x, y = $A, k
    """,
        """
    …
    x = …
    x += …
    x = y + …
    x = y - …
    x = … * y
    x = y * …
    x = !…
    x = -…
    x = ….c
    x = ….c d
    x = …[0]
    x = h(…, y)
    x = h(…)
    h …
    h …, y
    h y, …
    h(y: …)
    x = … == y
    x = y && …
    x = … || y
    x = (… and y)
    x = … < y
    x = y << …
    x = z[…]
    return …
    return … if y
    x = … ? y : z
    x = y ? … : z
    x = y ? z : …
    x = [… , y]
    x = { y => … }
    x = ->(y) { … }
    x if …
    x unless …
    … if x
    x while …
    if … then x end
    if x⏎ …⏎ end
    case … when x then y end
    case x when … then y end
    x = …..y
    x = "t#{…}"
    yield …
    x rescue …
    x = begin⏎ …⏎ end
    h { … }
    h do⏎ …⏎ end
    h do |y| … end
    not …
    x.y = …
    x, y = …
    x = …, y
    raise …
    """,
    ),
    "php": Table.of(
        "<?php\n%function w() {\n    …\n}\n%",
        """
    $a
    1
    1.5
    'c'
    "s"
    "s$a"
    $a + $b
    $a - $b
    -$b
    !$b
    $a * $b
    $a ** $b
    $a && $b
    $a || $b
    $a and $b
    $a == $b
    $a <=> $b
    $a < $b
    $a << $b
    $a & $b
    $a . $b
    $a ?? $b
    $a ?: $b
    $a ? $b : $c
    $a->b
    $a?->b
    $a->b($c)
    $a[0]
    f($a)
    A::b()
    A::B
    A::$b
    new A()
    new A
    clone $a
    (int) $a
    @$a
    $a = $b
    $a += $b
    $a++
    --$a
    $a instanceof B
    [1, $a]
    array(1)
    function ($x) { return $x; }
    fn($x) => $x
    match ($a) { default => 1 }
    print $a
    include $a
    yield $a
    throw $a
    isset($a)
    empty($a)
    ~$a
    +$a
    $$a
    $a % $b
    $a xor $b
    null
    """,
        """
    $A
    $A + 1
    1 - $A
    $k-$A
    $A * 2
    $A ** 2
    2 ** $A
    -$A
    !$A
    $A == 1
    $A <=> 1
    $A < $k
    $k << $A
    $A & $k
    $A && $k
    $k || $A
    $A and $k
    $A . $k
    $A.$k
    $k.$A
    $k . $A
    $A ?? $k
    $k ?? $A
    $A ?: $k
    $A ? 1 : 2
    $k ? $A : 2
    $k ? 1 : $A
    $A->b
    $A->m($k)
    $A?->b
    $A[0]
    $A::K
    h($A)
    h($A, $k)
    ($A)
    [$A, $k]
    ['k' => $A]
    (int) $A
    (string)$A
    @$A
    clone $A
    new $A
    $A()
    $A instanceof K
    $k instanceof $A
    $y = $A
    $y += $A
    $A = $y
    $A++
    fn($x) => $A
    function () { return $A; }
    match ($A) { default => 1 }
    print $A
    throw $A
    isset($A)
    empty($A)
    ~$A
    $A xor $k
    """,
        """
    …;
    $x = …;
    $x += …;
    $x = $y + …;
    $x = $y - …;
    $x = $y-…;
    $x = … * $y;
    $x = $y * …;
    $x = $y . …;
    $x = … . $y;
    $x = $y.….$z;
    $x = !…;
    $x = -…;
    $x = ….'c';
    $x = …->c;
    $x = …[0];
    $x = h(…, $y);
    $x = h(…);
    $x = … == $y;
    $x = $y && …;
    $x = … || $y;
    $x = … and $y;
    $x = … < $y;
    $x = $y << …;
    $x = $z[…];
    return …;
    echo …;
    echo …, $y;
    $x = … ? $y : $z;
    $x = $y ? … : $z;
    $x = $y ? $z : …;
    $x = … ?? $y;
    $x = $y ?? …;
    $x = (int) …;
    $x = [… => $y, …];
    $x = fn($y) => …;
    if (…) $y;
    foreach (… as $y) {}
    while (…) {}
    for (…; …; $y) {}
    switch (…) { case …: }
    $x = match (…) { … => $y };
    throw …;
    $x = @…;
    $x = clone …;
    $x = …();
    $x = new (…);
    $x = … instanceof B;
    $x = ~…;
    $x = … ** $y;
    $x = $y ** …;
    print …;
    """,
    ),
}
