// Makes trials of rewrites in JavaScript, and judges results by their trees.
// `node meaning.js make SEED COUNT FILES…` prints trials, `node meaning.js judge` reads results.
const acorn = require("acorn"), { generate } = require("astring"), fs = require("fs");
const OPTIONS = { ecmaVersion: "latest", sourceType: "script", allowReturnOutsideFunction: true };
const CALL = "qq", HOLES = ["A", "B"];
let state = 1;
function random() { state = (state * 1103515245 + 12345) % 2147483648; return state / 2147483648; }
function pick(list) { return list[Math.floor(random() * list.length)]; }
const parse = (text) => acorn.parse(text, OPTIONS);
const parsed = (text) => { try { return parse(text); } catch { return null; } };
function walk(node, visit, parent = null, key = null) {
  if (!node || typeof node.type !== "string") return;
  visit(node, parent, key);
  for (const name of Object.keys(node)) {
    const value = node[name];
    if (Array.isArray(value)) value.forEach((one) => walk(one, visit, node, name));
    else if (value && typeof value.type === "string") walk(value, visit, node, name);
  }
}
const flat = (node) => {
  if (node.type === "LogicalExpression") {
    const parts = (one) => one.type === "LogicalExpression" && one.operator === node.operator
      ? [...parts(one.left), ...parts(one.right)] : [shape(one)];
    return { type: "Logical", operator: node.operator, parts: parts(node) };
  }
  return null;
};
function shape(node) {
  if (Array.isArray(node)) return node.map(shape);
  if (!node || typeof node !== "object" || node instanceof RegExp) return typeof node === "bigint" ? String(node) : node;
  const special = flat(node);
  if (special) return special;
  const out = {};
  for (const key of Object.keys(node).sort()) {
    if (["start", "end", "raw", "directive", "loc", "range"].includes(key)) continue;
    out[key] = shape(node[key]);
  }
  return out;
}
const same = (one, two) => JSON.stringify(shape(one)) === JSON.stringify(shape(two));
function gather(files) {
  const pool = {}, contexts = [];
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8");
    const tree = parsed(text) || (() => { try { return acorn.parse(text, { ...OPTIONS, sourceType: "module" }); } catch { return null; } })();
    if (!tree) continue;
    walk(tree, (node, parent, key) => {
      const piece = text.slice(node.start, node.end);
      if (piece.length > 160 || piece.includes(CALL) || /\/[/*]/.test(piece)) return;
      if (/Expression$|Literal$|^Identifier$/.test(node.type) && parent && !/Pattern|^Property$/.test(parent.type)) {
        const again = parsed(`async function* w() { ${CALL}(${piece}, 1) }`);
        if (!again) return;
        const args = again.body[0].body.body[0]?.expression?.arguments;
        if (!args || args.length !== 2 || !same(args[0], node)) return;
        const some = (pool[node.type] ||= []);
        if (some.length < 300) some.push(piece);
      }
      if (/^(Expression|Variable|Return|If|Throw|For|ForOf|While)(Statement|Declaration)$/.test(node.type) && piece.length < 160) {
        const inner = [];
        walk(node, (one, up, name) => {
          if (/Expression$|Literal$|^Identifier$/.test(one.type) && up && one !== node) inner.push(one);
        });
        if (!inner.length || contexts.length > 6000) return;
        const one = pick(inner);
        const before = text.slice(node.start, one.start), behind = text.slice(one.end, node.end);
        const tree = parsed(`async function* w() { ${before}${CALL}(1, 2)${behind} }`);
        if (!tree) return;
        let calls = 0;
        walk(tree, (x) => { if (isCall(x)) calls++; });
        if (calls === 1) contexts.push([before, behind]);
      }
    });
  }
  return { pool, contexts };
}
function isCall(node) {
  return node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === CALL;
}
const id = (name) => ({ type: "Identifier", name });
function template(depth) {
  if (depth === 0 || random() < 0.15) {
    return random() < 0.8 ? id(pick(HOLES)) : pick([id("k"), { type: "Literal", value: 1, raw: "1" }, { type: "Literal", value: "s", raw: '"s"' }]);
  }
  const inner = () => template(depth - 1);
  const binary = (operators) => ({ type: "BinaryExpression", operator: pick(operators), left: inner(), right: inner() });
  return pick([
    () => binary(["+", "-", "*", "/", "%", "**"]),
    () => binary(["+", "-", "|", "&", "<<", "^", "**"]),
    () => binary(["==", "===", "!==", "<", ">=", "in", "instanceof"]),
    () => ({ type: "LogicalExpression", operator: pick(["&&", "||", "??"]), left: inner(), right: inner() }),
    () => ({ type: "LogicalExpression", operator: pick(["&&", "||", "??"]), left: inner(), right: inner() }),
    () => ({ type: "UnaryExpression", operator: pick(["!", "-", "~", "+", "typeof", "void"]), prefix: true, argument: inner() }),
    () => ({ type: "ConditionalExpression", test: inner(), consequent: inner(), alternate: inner() }),
    () => ({ type: "CallExpression", callee: inner(), arguments: [inner()], optional: false }),
    () => ({ type: "CallExpression", callee: id("k"), arguments: [inner(), inner()], optional: false }),
    () => ({ type: "NewExpression", callee: inner(), arguments: [inner()] }),
    () => ({ type: "MemberExpression", object: inner(), property: id("attr"), computed: false, optional: false }),
    () => ({ type: "MemberExpression", object: inner(), property: inner(), computed: true, optional: false }),
    () => ({ type: "ArrayExpression", elements: [inner(), inner()] }),
    () => ({ type: "ObjectExpression", properties: [{ type: "Property", kind: "init", method: false, shorthand: false, computed: false, key: id("key"), value: inner() }] }),
    () => ({ type: "ArrowFunctionExpression", id: null, expression: true, generator: false, async: false, params: [id("k")], body: inner() }),
    () => ({ type: "AwaitExpression", argument: inner() }),
    () => ({ type: "YieldExpression", delegate: false, argument: inner() }),
    () => ({ type: "AssignmentExpression", operator: "=", left: id("y"), right: inner() }),
    () => ({ type: "SequenceExpression", expressions: [inner(), inner()] }),
    () => ({ type: "TemplateLiteral", quasis: [quasi(""), quasi("", true)], expressions: [inner()] }),
  ])();
}
const quasi = (text, tail = false) => ({ type: "TemplateElement", value: { raw: text, cooked: text }, tail });
function replaced(node, change) {
  if (Array.isArray(node)) return node.map((one) => replaced(one, change));
  if (!node || typeof node !== "object" || node instanceof RegExp) return node;
  const made = change(node);
  if (made) return made;
  const out = {};
  for (const key of Object.keys(node)) out[key] = replaced(node[key], change);
  return out;
}
function argument(pool) {
  for (;;) {
    const some = pool[pick(Object.keys(pool).sort())];
    if (some.length) return pick(some);
  }
}
function trial(pool, contexts, count) {
  const out = generate(template(pick([1, 1, 2])));
  if (!/\b[AB]\b/.test(out) || !parsed(`async function* w() { (${out}) }`) || !parsed(`(${out})`) && !/await|yield/.test(out)) return null;
  const functions = [];
  for (let tries = 0; functions.length < count && tries < 200; tries++) {
    const [before, behind] = pick(contexts);
    const given = `${argument(pool)}, ${argument(pool)}`;
    if (out.includes("=>") && /\b(await|yield)\b/.test(given)) continue; // they may not move into a function
    const text = `async function* w${functions.length}() {\n  ${before}${CALL}(${given})${behind}\n}\n`;
    const tree = parsed(text);
    if (tree && tree.body.length === 1) functions.push(text);
  }
  return { pattern: `${CALL}($A, $B)`, out: out.replace(/\b([AB])\b/g, "$$$1"), plain: out, functions };
}
function make(seed, count, files) {
  state = seed;
  const { pool, contexts } = gather(files);
  const trials = [];
  while (trials.length * 10 < count) { const one = trial(pool, contexts, 10); if (one && one.functions.length === 10) trials.push(one); }
  return trials;
}
function judge(results) {
  const tally = { right: 0, refused: 0, blocked: [], wrong: [] };
  for (const { plain, functions, after } of results) {
    const parts = after.split(/^(?=async function\* w\d+)/m);
    functions.forEach((old, at) => {
      const now = parts[at] ?? "";
      let tree = null, text = "";
      try { tree = wanted(old, plain); text = generate(tree); } catch (error) { tree = null; }
      const back = tree && parsed(text);
      const legal = back && same(back, tree);
      if (!legal && /\b(await|yield)\b/.test(plain)) { tally.refused++; return; } // where it may not stand
      const entry = `${plain}\n${old}=>\n${now}expected ${text}`;
      if (now === old) { legal ? tally.blocked.push(entry) : tally.refused++; return; }
      const got = parsed(now);
      if (got && tree && same(got, tree)) tally.right++;
      else tally.wrong.push((got ? "" : "DOES NOT PARSE ") + entry);
    });
  }
  return tally;
}
function wanted(text, out) {
  const template = parse(`async function* w() { (${out}) }`).body[0].body.body[0].expression;
  return replaced(parse(text), (node) => {
    if (!isCall(node)) return null;
    const nodes = Object.fromEntries(HOLES.map((name, at) => [name, node.arguments[at]]));
    return replaced(template, (one) => one.type === "Identifier" && nodes[one.name] ? nodes[one.name] : null);
  });
}
const [, , mode, ...rest] = process.argv;
if (mode === "make") process.stdout.write(JSON.stringify(make(Number(rest[0]), Number(rest[1]), rest.slice(2))));
else process.stdout.write(JSON.stringify(judge(JSON.parse(fs.readFileSync(0, "utf8")))));
