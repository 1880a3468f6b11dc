// Hands each edit of opencode's agent to `astedit hook opencode`, before it is made.
import { spawn } from "node:child_process";

const MODE = "{mode}";
const TOOLS = new Set("{tools}".split("|"));

function ask(call) {
  return new Promise((answer) => {
    const hook = spawn("astedit", ["hook", "opencode", "--mode", MODE], { cwd: call.cwd, timeout: 10000 });
    let out = "";
    let err = "";
    hook.stdout.on("data", (part) => (out += part));
    hook.stderr.on("data", (part) => (err += part));
    hook.on("error", (error) => answer({ code: 127, out: "", err: String(error) }));
    hook.on("close", (code) => answer({ code, out, err }));
    hook.stdin.on("error", () => {});
    hook.stdin.end(JSON.stringify(call));
  });
}

export const Astedit = async ({ directory, client }) => ({
  "tool.execute.before": async (input, output) => {
    if (!TOOLS.has(input.tool) && MODE !== "require") return;
    const { tool, sessionID, callID } = input;
    const { code, out, err } = await ask({ tool, sessionID, callID, cwd: directory, args: output.args });
    if (code !== 0 && MODE === "require") throw new Error(err || "astedit did not answer");
    const said = code === 0 && out ? JSON.parse(out) : {};
    if (said.deny) throw new Error(said.deny);
    const message = said.note || err;
    if (message) await client?.app?.log?.({ body: { service: "astedit", level: "info", message } });
  },
});
