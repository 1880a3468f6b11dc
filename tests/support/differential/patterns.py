"""The patterns of the differential suite, as people write them, language by language."""

from tests.support.differential.oracle import Query

_PLAIN = {
    "python": """
        print($$$ARGS)
        foo($A)
        foo($A, $B)
        foo($$$A, $B)
        foo($A, $$$B)
        foo($$$A, b, $$$C)
        foo($$$A,)
        foo(b)
        out($T, $$$REST)
        self.$F = $V
        self.$M($$$A)
        $A == $A
        $A == $B
        $X = $X
        $X: $T = $V
        return $A
        return $$$A
        raise $E
        raise $E from $CAUSE
        import $M
        from $M import $N
        from $M import $$$N
        del $$$A
        assert $A, $MSG
        lambda $P: $BODY
        [$A for $B in $C if $D]
        {$K: $V for $P in $I}
        $A if $C else $B
        $A[$I]
        $A[$I:$J]
        $X, $Y = $Y, $X
        $A and $B
        not $A
        "%s: %d" % $A
        "utf-8"
        open($$$A)
    """,
    "typescript": """
        console.log($$$A)
        console.log($A, $B)
        new Error($MSG)
        new $C($$$A)
        $A.then($$$B)
        $A === $A
        $A === $B
        this.$F = $V
        const $A = $B
        const $A: $T = $B
        import $A from './defaults'
        import { $$$A } from '$M'
        import * as $N from $M
        if ($C) { $$$BODY }
        ($$$P) => $BODY
        ($P) => $BODY
        await $A
        return $A
        return
        throw new $E($$$A)
        $A as $T
        $A ? $B : $C
        type $N = $T
        export const $N = $V
        interface $N { $$$M }
        enum $N { $$$M }
        for (let $I = 0; $I < $N; $I++) { $$$B }
        try { $$$T } catch ($E) { $$$C } finally { $$$F }
        function $F($$$P): $R { $$$B }
        { ...$A, $$$B }
    """,
    "javascript": """
        console.log($$$A)
        console.log( $A )
        foo($$$A)
        foo($A, $B)
        foo($$$A, b, $$$C)
        new $C($$$A)
        this.$F = $V
        $X.$Y = $Z.$Y
        const $A = require($M)
        const { $$$A } = $B
        var $A = $B
        let $A = $B
        function $F($$$P) { $$$B }
        function* $F($$$P) { $$$B }
        async function $F() { $$$B }
        if ($A === true && $B) $C
        if ( $C ) { $$$BODY }
        for (let $I = 0, $L = $N; $C; $U) { $$$B }
        for (const $K of $O) $B
        $A || $B
        typeof $A === 'undefined'
        return $$$A
        return $$A
        [$$$A]
        class $C extends $B { $$$BODY }
        module.exports = $A
        useState($A)
        <$T $$$ATTRS>$$$C</$T>
        ($$$P) => $B
        `models/${$A}.gltf`
        $A = $A
        super.$M($$$A)
    """,
    "rust": """
        println!($$$A)
        foo($$$A)
        foo($A, $B)
        foo($$$A, $B)
        $A.unwrap()
        $A.$M($$$B)
        Entry::new($$$A)
        Some($A)
        $A?
        $A += 1
        return Err($E);
        let $P = $V;
        let mut $P = $V;
        let $P: $T = $V;
        if let Some($A) = $B { $$$C }
        if $C { $$$A } else { $$$B }
        for $P in $I { $$$B }
        match $V { $$$ARMS }
        fn $F($$$P) -> $R { $$$B }
        pub fn $F($$$P) -> $R { $$$B }
        impl $T for $S { $$$B }
        struct $S { $$$F }
        use $A::$B;
        #[derive($$$D)]
        $A as $T
        |$P| $B
        $S { $$$F }
        *$A > $B
        vec![$$$A]
        $A > $B
    """,
    "java": """
        System.out.println($A)
        System.out.println($$$A);
        foo($$$A);
        foo($A, $$$B)
        $O.$M($$$A)
        Log.d($TAG, $MSG)
        Log.d($$$A, $MSG)
        new $C($$$A)
        throw new $E($$$A);
        return $A;
        $A == null
        $A == $B
        $X.equals($X)
        if ($C) { $$$B }
        if ($C) { $$$B } else { $$$D }
        for ($T $V : $I) { $$$B }
        for (int $I = 0; $I < $N; $I++) { $$$B }
        this.$F = $V;
        $T $V = $E;
        List<$T> $V = $E;
        import $$$P;
        import static $P;
        ($T) $E
        $P -> $B
        synchronized ($L) { $$$B }
        while ($C) { $$$B }
        class $C { $$$B }
        @Override
        $A > $B ? $C : $D
        assert $C : $M;
    """,
    "go": """
        if $E != nil { return $$$R }
        if $E != nil { $$$B }
        if err := $F; err != nil { $$$B }
        for $K, $V := range $M { $$$B }
        for $I := 0; $I < $N; $I++ { $$$B }
        $A := $B
        $A, $B := $C
        $A = append($B, $$$C)
        func ($R $T) $M($$$P) $RET { $$$B }
        func $F($$$P) $RET { $$$B }
        return $A, true
        return $$$A
        defer $F($$$A)
        go $F($$$A)
        type $T struct { $$$F }
        type $T interface { $$$M }
        import $$$I
        var $V $T
        $A += $B
        $A == $A
        &$T{$$$F}
        map[$K]$V{$$$E}
        select { $$$C }
        package $P
    """,
    "c": """
        foo($$$A);
        free($P);
        printf($FMT, $$$A);
        $A->$F = $V;
        $A->$F
        if ($C) { $$$B }
        if ($C) $S
        if ($C) { $$$B } else { $$$D }
        for ($$$H; $C; $U) { $$$B }
        while ($C) { $$$B }
        do { $$$B } while ($C);
        return $V;
        return $$$V;
        switch ($V) { $$$C }
        $T $V = $E;
        int $V = $E;
        typedef struct $S { $$$F } $T;
        #include "ring.h"
        #define $N $V
        ($T *)$E
        sizeof($A)
        $A == $A
        $A ? $B : $C
        $A[$I]
        enum $E { $$$V }
        goto $L;
        !$A
    """,
}

_BLOCKS = {
    "python": (
        "def $F($$$P): $$$BODY",
        "class $C: $$$BODY",
        "class $C($$$B):\n    $$$BODY",
        "if $C:\n    $$$A\nelse:\n    $$$B",
        "with open($$$A) as $H:\n    $$$BODY",
        "try:\n    $$$T\nexcept $E:\n    $$$X",
        "for $X in $Y:\n    $$$B",
        "@property\ndef $F(self):\n    $$$B",
        'if __name__ == "__main__":\n    $$$B',
    ),
    "javascript": ("{\n  $$$A\n  return $B\n}",),
}

_IN_CONTEXT = (
    Query("python", "key", selector="keyword_argument", context="f($K=$V)"),
    Query("python", "parameters", selector="parameters", context="def f($$$A, $B=$C): pass"),
    Query("python", "clause", selector="except_clause", context="try: pass\nexcept $E as $N: $$$B"),
    Query("typescript", "field", selector="public_field_definition", context="class A { $F = $V }"),
    Query("typescript", "pair", selector="pair", context="({ $K: $V })"),
    Query(
        "typescript",
        "method",
        selector="method_definition",
        context="class A { $M($$$P) { $$$B } }",
    ),
    Query(
        "javascript", "method", selector="method_definition", context="class A { $M($P) { $$$B } }"
    ),
    Query("javascript", "attribute", selector="jsx_attribute", context="<a $N={$V} />"),
    Query("javascript", "any call", selector="call_expression", context="$F($$$A)"),
    Query("rust", "arm", selector="match_arm", context="match x { $P => $B, }"),
    Query("rust", "field", selector="field_declaration", context="struct S { $N: $T }"),
    Query(
        "java",
        "method",
        selector="method_declaration",
        context="class A { @Override public $T $M($$$P) { $$$B } }",
    ),
    Query(
        "java",
        "field",
        selector="field_declaration",
        context="class A { private final $T $N = $V; }",
    ),
    Query("go", "call", selector="call_expression", context="func f() { fmt.Println($$$A) }"),
    Query("go", "any call", selector="call_expression", context="func f() { $F($A, $$$B) }"),
    Query("go", "field", selector="keyed_element", context="var x = T{$K: $V}"),
    Query("c", "call", selector="call_expression", context="int f() { foo($A, $$$B); }"),
    Query("c", "parameter", selector="parameter_declaration", context="int f(const $T *$N);"),
)

# What people try and what matches nothing, here as there: the doctor's daily work.
FRUITLESS = (
    Query("go", "fmt.Println($A)"),
    Query("c", "foo($A)"),
    Query("c", "printf($A)"),
    Query("python", '"x$A"'),
    Query("c", "#include <$H>"),
    Query("c", "struct $S { $$$F };"),
    Query("typescript", "$L $OP $R"),
    Query("javascript", "a: 1"),
    Query("java", "private final $T $N = $V;"),
    Query("rust", "#[test] fn $F() { $$$B }"),
)


def _plain() -> list[Query]:
    lines = ((lang, text.splitlines()) for lang, text in _PLAIN.items())
    plain = [Query(lang, line.strip()) for lang, block in lines for line in block if line.strip()]
    return plain + [Query(lang, text) for lang, texts in _BLOCKS.items() for text in texts]


PATTERNS: tuple[Query, ...] = (*_plain(), *_IN_CONTEXT)

# Every node of a file: for small files.
ANYTHING = tuple(Query(language, hole) for language in _PLAIN for hole in ("$A", "$$A", "$_"))
