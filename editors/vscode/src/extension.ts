// The server does the work; here are the status bar and the choice of a plan.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

interface Plan {
  id: string;
  title: string;
  root: string;
}

let client: LanguageClient | undefined;

async function ask<Answer>(command: string, argument?: object): Promise<Answer | undefined> {
  const parameters = { command, arguments: argument === undefined ? [] : [argument] };
  return client?.sendRequest<Answer>("workspace/executeCommand", parameters);
}

async function pending(): Promise<Plan[]> {
  const plans = await ask<Plan[]>("astedit.pending");
  return Array.isArray(plans) ? plans : [];
}

async function choose(what: string): Promise<Plan | undefined> {
  const plans = await pending();
  if (plans.length === 0) {
    void vscode.window.showInformationMessage("No plan is pending.");
    return undefined;
  }
  const items = plans.map((plan) => ({ label: plan.title, description: plan.id, plan }));
  return (await vscode.window.showQuickPick(items, { placeHolder: what }))?.plan;
}

async function start(): Promise<void> {
  const command = vscode.workspace.getConfiguration("astedit").get<string>("path", "astedit");
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = { documentSelector: [{ scheme: "file" }] };
  client = new LanguageClient("astedit", "astedit", server, options);
  await client.start();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  status.command = "astedit.review";
  const refresh = async (): Promise<void> => {
    const count = (await pending()).length;
    status.text = `$(diff) ${count} pending`;
    status.tooltip = "Plans that wait for a review";
    if (count > 0) {
      status.show();
    } else {
      status.hide();
    }
  };
  const on = (name: string, run: () => Promise<void>): void => {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  };
  on("astedit.review", async () => {
    const plan = await choose("Which plan?");
    if (plan !== undefined) {
      await ask("astedit.show", { id: plan.id, root: plan.root });
    }
  });
  on("astedit.discardPlan", async () => {
    const plan = await choose("Which plan is discarded?");
    if (plan !== undefined) {
      await ask("astedit.discard", { id: plan.id, root: plan.root });
    }
    await refresh();
  });
  on("astedit.restart", async () => {
    await client?.stop();
    await start();
  });
  await start();
  const timer = setInterval(() => void refresh(), 5_000);
  context.subscriptions.push(status, { dispose: () => clearInterval(timer) });
  await refresh();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
