// Says for each file, as a script and else as a module, why V8 does not read it.
const fs = require("fs"), vm = require("vm");
const errors = {};
for (const name of process.argv.slice(2)) {
  const text = fs.readFileSync(name, "utf8").replace(/^#!.*/, "");
  const tries = [
    () => new vm.Script(`(function (exports, require, module) {${text}\n})`),
    () => new vm.SourceTextModule(text),
  ];
  const faults = tries.map((make) => { try { make(); return null; } catch (error) { return String(error); } });
  if (faults.every(Boolean)) errors[name] = faults[/^(import|export)\b/m.test(text) ? 1 : 0];
}
console.log(JSON.stringify(errors));
