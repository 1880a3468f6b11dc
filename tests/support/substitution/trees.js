// Prints the trees of TypeScript sources, which a null byte parts, without brackets.
const ts = require("typescript"), fs = require("fs");
const kind = process.argv[2] === "tsx" ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
function dump(node) {
  if (ts.isParenthesizedExpression(node)) {
    let inner = node.expression, outer = node.parent;
    while (ts.isParenthesizedExpression(inner)) inner = inner.expression;
    const ends = ts.isOptionalChain(inner) && outer.expression === node &&
      (ts.isPropertyAccessExpression(outer) || ts.isElementAccessExpression(outer) || ts.isCallExpression(outer));
    return ends ? `(chain ${dump(inner)})` : dump(inner);
  }
  const inner = [];
  ts.forEachChild(node, (child) => { inner.push(dump(child)); });
  const text = inner.length ? "" : " " + node.getText();
  const sign = node.operator ? ts.SyntaxKind[node.operator] : "";
  return `(${ts.SyntaxKind[node.kind]}${sign}${text} ${inner.join(" ")})`;
}
const sources = fs.readFileSync(0, "utf8").split("\0");
process.stdout.write(sources.map((source) => {
  const file = ts.createSourceFile("a." + process.argv[2], source, ts.ScriptTarget.Latest, true, kind);
  return file.parseDiagnostics.length ? "" : dump(file);
}).join("\0"));
