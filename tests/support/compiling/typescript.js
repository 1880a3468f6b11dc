// Says for each file what TypeScript's parser has against it.
const fs = require("fs"), path = require("path");
const ts = require(path.join(process.cwd(), "node_modules", "typescript"));
const errors = {};
for (const name of process.argv.slice(2)) {
  const file = ts.createSourceFile(name, fs.readFileSync(name, "utf8"), ts.ScriptTarget.Latest, true);
  const [first] = file.parseDiagnostics;
  if (first) errors[name] = ts.flattenDiagnosticMessageText(first.messageText, " ");
}
console.log(JSON.stringify(errors));
