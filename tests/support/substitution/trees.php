<?php
// Prints the trees of PHP sources, which a null byte parts, without brackets; needs php-ast.
function dump($node) {
    if (!$node instanceof ast\Node) {
        return var_export($node, true);
    }
    $flags = $node->kind === ast\AST_CONDITIONAL ? 0 : $node->flags;
    $inner = array_map(fn($key, $child) => "$key:" . dump($child), array_keys($node->children), $node->children);
    unset($inner["docComment"]);
    return "(" . ast\get_kind_name($node->kind) . " $flags " . implode(" ", $inner) . ")";
}
$trees = [];
foreach (explode("\0", stream_get_contents(STDIN)) as $source) {
    try {
        $trees[] = dump(ast\parse_code($source, 90));
    } catch (Throwable) {
        $trees[] = "";
    }
}
echo implode("\0", $trees);
