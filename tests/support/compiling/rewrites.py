"""Random rewrites for a language: any pattern with any template over its holes."""

import re
from collections.abc import Mapping
from random import Random
from typing import NamedTuple

_HOLE = re.compile(r"\$+[A-Z]+")


class Rewrites(NamedTuple):
    """Patterns to find, and templates to put in their places, one a line."""

    patterns: tuple[str, ...]
    templates: tuple[str, ...]

    @classmethod
    def of(cls, patterns: str, templates: str) -> "Rewrites":
        """Written as lines; `⏎` stands for the end of one."""
        return cls(_lines(patterns), _lines(templates))

    def drawn(self, random: Random) -> tuple[str, str]:
        """A pattern and a template that has no other holes."""
        while True:
            pattern, template = random.choice(self.patterns), random.choice(self.templates)
            if {*_HOLE.findall(template)} <= {*_HOLE.findall(pattern)}:
                return pattern, template


def _lines(text: str) -> tuple[str, ...]:
    lines = (line.strip().replace("⏎", "\n") for line in text.split("\n"))
    return tuple(line for line in lines if line)


_C_LIKE = """
    $F($A)
    $F($A, $B)
    $F($$$M)
    $A.$F($B)
    $A.$F($$$M)
    $A + $B
    $A == $B
    $A != $B
    $A && $B
    $A || $B
    $A = $B
    !$A
    $A[$B]
    return $A;
    if ($A) { $$$M }
    if ($A) $B
    $A;
"""
_OPERATIONS = """
    $A
    $B
    $A + $B
    $A - $B
    $A * $B
    $A * ($B + 1)
    $A % 2 == $B
    $A == $B
    $A < $B
    $A && $B
    $A || $B
    !$A
    -$A
    -$A * $B
    k($A)
    k($B, $A)
    k($$$M)
    k($$$M, 1)
    k(1, $$$M)
    k($A, $$$M)
    $A.attr
    $A.attr($B)
    $A.$F($B)
    $A[$B]
    ($A)
    (($A))
"""
_STATEMENTS = """
    k($A); k($B)
    k($A);
    k($A);⏎k($B);
    return $A;
    if ($A) { k($B); }
    if ($A) k($B);
    if ($A) { $$$M }
    if (!$A) { $$$M } else { k(); }
    while ($A) { k($B); }
    { $$$M }
    k = $A
    k += $B
"""
_JAVASCRIPT = """
    $A === $B
    $A ** $B
    $A ?? $B
    $A ? $B : k
    k ? $A : $B
    typeof $A
    await $A
    yield $A
    new $A($B)
    [$A, $B]
    [$$$M]
    [$$$M, 1]
    { key: $A, b: $B }
    ({ key: $A })
    (k) => $A
    k => { $A }
    () => { $$$M }
    function () { return $A; }
    `${$A}`
    $A, $B
    $A?.attr
    $A in $B
    $A instanceof $B
    let k = $A;
    const k = $A, l = $B
    for (const k of $A) { $B }
    throw $A;
    delete $A
    class { k = $A }
    async () => $A
    /x/.test($A)
"""
_MORE_PATTERNS = """
    $A === $B
    $A ? $B : $C
    new $A($B)
    [$$$M]
    ($A) => $B
    $A => $B
    { $A: $B }
    var $A = $B
    const $A = $B
    let $A = $B
    function $F($$$M) { $$$N }
    typeof $A
    await $A
    () => { $$$M }
"""
_TYPED = """
    $A as k
    $A!
    <k>$A
    k<$A>($B)
    let l: $A = $B
"""

REWRITES: Mapping[str, Rewrites] = {
    "javascript": Rewrites.of(_C_LIKE + _MORE_PATTERNS, _OPERATIONS + _STATEMENTS + _JAVASCRIPT),
    "typescript": Rewrites.of(
        _C_LIKE + _MORE_PATTERNS, _OPERATIONS + _STATEMENTS + _JAVASCRIPT + _TYPED
    ),
    "java": Rewrites.of(
        _C_LIKE
        + """
        new $A($B)
        new $A($$$M)
        $A ? $B : $C
        ($A) $B
        $A instanceof $B
        throw $A;
        ($A) -> $B
        """,
        _OPERATIONS
        + _STATEMENTS
        + """
        $A ? $B : k
        (k) $A
        (int) $A
        $A instanceof k
        new k($A)
        new k[] {$A, $B}
        k -> $A
        () -> { $$$M }
        int k = $A;
        throw $A;
        assert $A : $B;
        for (int i : $A) { $B }
        synchronized ($A) { $$$M }
        $A::k
        $A++
        """,
    ),
    "go": Rewrites.of(
        """
        $F($A)
        $F($A, $B)
        $F($$$M)
        $A.$F($B)
        $A.$F($$$M)
        $A + $B
        $A == $B
        $A != $B
        $A && $B
        $A || $B
        $A = $B
        $A := $B
        !$A
        $A[$B]
        return $A
        return $$$M
        if $A { $$$M }
        """,
        _OPERATIONS
        + """
        $A, $B
        k($A)⏎k($B)
        k($A); k($B)
        return $A
        return $A, $B
        return $$$M
        if $A { k($B) }
        if $A { $$$M }
        if k := $A; k { $B }
        if !$A { $$$M } else { k() }
        for $A { k($B) }
        for _, k := range $A { $B }
        switch $A { case $B: k() }
        var k = $A
        k := $A
        k, l := $A, $B
        []int{$A, $B}
        []k{$$$M}
        map[string]int{$A: $B}
        k{x: $A}
        k{$A}.b
        func() { $$$M }()
        func(k int) int { return $A }
        $A.(k)
        &$A
        *$A
        <-$A
        go $A
        defer $A
        $A[$B:1]
        """,
    ),
    "ruby": Rewrites.of(
        """
        $F($A)
        $F($A, $B)
        $F($$$M)
        $A.$F($B)
        $A.$F($$$M)
        $A.$F
        $A + $B
        $A == $B
        $A && $B
        $A || $B
        $A = $B
        !$A
        $A[$B]
        [$$$M]
        return $A
        $A if $B
        $A unless $B
        if $A⏎$$$M⏎end
        raise $A
        """,
        """
        $A
        $B
        $A + $B
        $A * $B
        $A - $B
        $A ** $B
        $A == $B
        $A <=> $B
        $A =~ $B
        $A && $B
        $A || $B
        $A and $B
        $A or $B
        not $A
        !$A
        -$A
        $A ? $B : k
        k ? $A : $B
        k($A)
        k($B, $A)
        k $A
        k $A, $B
        k($$$M)
        k($$$M, 1)
        k(1, $$$M)
        $A.attr
        $A&.attr
        $A.attr($B)
        $A.attr $B
        $A.$F($B)
        $A[$B]
        [$A, $B]
        [$$$M]
        [$$$M, 1]
        { key: $A }
        { $A => $B }
        "a #{$A} b"
        "#{$A}#{$B}"
        -> { $A }
        ->(k) { $A }
        k { |l| $A }
        k do |l|⏎  $A⏎end
        $A if $B
        $A unless $B
        $A while $B
        if $A⏎  $B⏎end
        if $A⏎  $$$M⏎else⏎  k⏎end
        k = $A
        k, l = $A, $B
        k += $A
        k ||= $A
        return $A
        return $A, $B
        yield $A
        raise $A
        $A..$B
        defined?($A)
        begin⏎  $A⏎rescue⏎  $B⏎end
        case $A⏎when $B then k⏎end
        *$A
        puts $A, $B
        """,
    ),
    "php": Rewrites.of(
        """
        $F($A)
        $F($A, $B)
        $F($$$M)
        $A->$F($B)
        $A->$F($$$M)
        $A . $B
        $A + $B
        $A == $B
        $A === $B
        $A && $B
        $A || $B
        $A = $B
        !$A
        $A[$B]
        [$$$M]
        return $A;
        if ($A) { $$$M }
        new $A($B)
        $A ? $B : $C
        """,
        """
        $A
        $B
        $A + $B
        $A - $B
        $A * $B
        $A ** $B
        $A . $B
        $A == $B
        $A === $B
        $A < $B
        $A <=> $B
        $A && $B
        $A || $B
        $A and $B
        $A ?? $B
        $A ?: $B
        $A ? $B : k
        !$A
        -$A
        k($A)
        k($B, $A)
        k($$$M)
        k($$$M, 1)
        k(1, $$$M)
        k(...$A)
        $A->attr
        $A?->attr
        $A->attr($B)
        $A::k
        $A[$B]
        [$A, $B]
        [$A => $B]
        [$$$M]
        [$$$M, 1]
        array($A, $B)
        fn($k) => $A
        function ($k) { return $A; }
        (int) $A
        new k($A)
        new $A($B)
        clone $A
        $A instanceof k
        print $A
        echo $A, $B;
        k($A); k($B)
        k($A);
        return $A;
        if ($A) { k($B); }
        if ($A) k($B);
        if ($A) { $$$M }
        if (!$A) { $$$M } else { k(); }
        while ($A) { k($B); }
        foreach ($A as $k) { $B; }
        $k = $A
        $k += $B
        throw $A;
        yield $A
        match ($A) { $B => k }
        "{$A}"
        @$A
        isset($A)
        """,
    ),
    "c": Rewrites.of(
        _C_LIKE.replace("$A.$F($B)", "$A->$F").replace("$A.$F($$$M)", "*$A")
        + """
        $A ? $B : $C
        ($A) $B
        $A += $B
        """,
        _OPERATIONS.replace("$A.attr($B)", "$A->attr").replace("$A.$F($B)", "$A->$F")
        + _STATEMENTS
        + """
        $A ? $B : k
        (int) $A
        ($A, $B)
        $A, $B
        *$A
        &$A
        sizeof($A)
        sizeof $A
        int k = $A;
        int k[] = { $A, $B };
        switch ($A) { case 1: k($B); }
        do { k($A); } while ($B)
        for (;$A;) $B
        $A++
        $A ? $B : $A
        ~$A | $B
        $A & $B
        $A << $B
        """,
    ),
}
