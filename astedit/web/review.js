// The keys and buttons of the review page. All text and all order come from the server;
// this sends decisions and shows what they changed.
"use strict";

const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const all = (selector) => [...document.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);
let revision = Number(meta("revision")); // of the decisions that are shown
const states = { accept: "accepted", reject: "rejected", mixed: "partly decided", "": "undecided" };

function say(text) {
  const message = byId("message");
  message.textContent = text;
  message.hidden = !text;
}

async function send(path, values) {
  say("");
  let answer, body;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-astedit-csrf": meta("csrf") },
      body: JSON.stringify({ fingerprint: meta("fingerprint"), revision, shown: ids(), ...values }),
    });
    body = await answer.json();
  } catch {
    say("The server does not answer: it has ended. What was decided is kept.");
    return null;
  }
  if (answer.ok) return body;
  say([body.error, body.hint].filter(Boolean).join(" "));
  if (body.state) show(body.state);
  return null;
}

// ---- what was decided -------------------------------------------------------------------

function show(state) {
  revision = state.revision;
  byId("progress").textContent = state.progress;
  byId("bar").value = state.decided;
  document.body.dataset.accepted = state.accepted;
  byId("open-apply").disabled = !state.accepted;
  for (const article of all("article[data-id]")) {
    const choice = state.choices[article.dataset.id];
    if (choice === undefined) continue;
    article.dataset.choice = choice ?? "";
    for (const button of article.querySelectorAll("[data-choose]"))
      button.setAttribute("aria-pressed", String(button.dataset.choose === choice));
  }
  for (const note of all("[data-follows]"))
    note.textContent = state.follows[note.dataset.follows] ?? "";
  const heading = document.querySelector("h2[data-key]");
  if (heading) byId("sample").textContent = state.groups[heading.dataset.key].sample;
  for (const link of all("a[data-file]")) {
    const file = state.files[link.dataset.file];
    if (!file) continue;
    link.querySelector(".counts").textContent = file.counts;
    link.parentElement.querySelector("[data-viewed]").checked = file.viewed;
  }
  for (const link of all("a[data-group]")) {
    const group = state.groups[link.dataset.group];
    if (!group) continue;
    link.dataset.mark = group.mark;
    link.querySelector(".state").textContent = states[group.mark];
    link.querySelector(".counts").textContent = group.counts;
  }
}

function ids() {
  return all("article[data-id]").map((article) => article.dataset.id);
}

async function decide(values) {
  const state = await send("decide", values);
  if (state) show(state);
  return state !== null;
}

async function choose(article, choice, further) {
  const button = article.querySelector(`[data-choose="${choice}"]`);
  if (!button) return;
  const undo = !further && article.dataset.choice === choice;
  const kept = await decide({ edits: [article.dataset.id], choice: undo ? null : choice });
  if (kept && further) step(1);
}

async function chooseAll(choice) {
  const heading = document.querySelector("h2[data-key]");
  if (heading) await decide({ group: heading.dataset.key, choice: choice || null });
  else if (document.querySelector("h2[data-path]"))
    await decide({ edits: decidable(), choice: choice || null });
}

// Those with buttons: an edit of imports follows others.
function decidable() {
  return all("article:has([data-choose])").map((article) => article.dataset.id);
}

async function retrace(path) {
  const before = revision;
  const state = await send(path, {});
  if (!state) return;
  show(state);
  if (state.revision === before) say(`There is nothing to ${path}.`);
}

async function view(box) {
  const state = await send("view", { file: box.dataset.viewed, viewed: box.checked });
  if (state) show(state);
  else box.checked = !box.checked;
}

// ---- how much of an edit is shown ---------------------------------------------------------

function fold(article) {
  const button = article?.querySelector("[data-fold]");
  if (!button) return;
  const open = article.toggleAttribute("data-folded");
  button.setAttribute("aria-expanded", String(!open));
  button.textContent = open ? "▸" : "▾";
}

async function more(article) {
  const code = article?.querySelector(":scope > .code");
  if (!code) return;
  const context = Number(article.dataset.context ?? 2) + 10;
  const split = code.matches("table") ? "&split=1" : "";
  const answer = await fetch(`lines?edit=${article.dataset.id}&context=${context}${split}`);
  if (!answer.ok) return say("The file cannot be read any more: load the page again.");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  article.dataset.context = context;
  code.replaceWith(page.body.firstElementChild);
}

async function comment(form) {
  const text = form.querySelector("textarea").value;
  const state = await send("comment", { edit: form.dataset.comment, text });
  if (!state) return;
  show(state);
  say(text ? "The comment is kept." : "The comment is taken back.");
}

// ---- the end ----------------------------------------------------------------------------

function ask(name) {
  const dialog = byId(name);
  const accepted = Number(document.body.dataset.accepted);
  const edits = accepted === 1 ? "1 edit is" : `${accepted.toLocaleString("en")} edits are`;
  const count = { apply: `${edits} accepted and will be written.` };
  dialog.querySelector(".count").textContent = count[name] ?? "Nothing is written.";
  dialog.showModal();
}

async function end(form) {
  const name = form.dataset.end;
  const values = Object.fromEntries(new FormData(form));
  const button = form.querySelector(".go");
  button.disabled = true;
  const body = await send(name, values);
  button.disabled = false;
  byId(name).close();
  if (!body) return;
  const main = document.createElement("main");
  const heading = document.createElement("h1");
  heading.id = "ended";
  heading.textContent = body.text;
  const note = document.createElement("p");
  note.textContent = "The page has ended; this window can be closed.";
  main.append(heading, note);
  document.body.replaceChildren(main);
}

// ---- moving -----------------------------------------------------------------------------

function current() {
  return document.activeElement?.closest?.("article[data-id]") ?? null;
}

function step(by) {
  const articles = all("article[data-id]");
  const here = articles.indexOf(current());
  const next = articles[here < 0 ? 0 : Math.min(Math.max(here + by, 0), articles.length - 1)];
  if (next) {
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }
}

function group(by) {
  const links = all("a[data-group]");
  const here = links.findIndex((link) => link.hasAttribute("aria-current"));
  links[here + by]?.click();
}

function write(article) {
  const details = article?.querySelector("details:has(form[data-comment])");
  if (!details) return;
  details.open = true;
  details.querySelector("textarea").focus();
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  " ": () => current() && choose(current(), "accept", true),
  x: () => current() && choose(current(), "reject", true),
  a: () => chooseAll("accept"),
  X: () => chooseAll("reject"),
  u: () => retrace("undo"),
  c: () => write(current()),
  f: () => fold(current()),
  m: () => more(current()),
  U: () => byId("only-open")?.click(),
  s: () => document.querySelector("a[data-group][aria-current]")?.click(),
  n: () => group(1),
  p: () => group(-1),
  v: () => byId("other-form")?.click(),
  t: () => byId("other-tab").click(),
  "/": () => byId("search")?.focus(),
  "?": () => byId("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const target = event.target;
  if (event.ctrlKey && event.key === "r" && !event.shiftKey && !target.matches("input, textarea")) {
    event.preventDefault(); // the browser's key for loading the page again is F5, too
    return retrace("redo");
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches("input:not([type=checkbox]), textarea")) {
    if (event.key === "Escape") (current() ?? document.querySelector("main")).focus();
    return;
  }
  if (event.key === " " && target.matches("button, summary, a")) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.choose) choose(button.closest("article"), button.dataset.choose, false);
  else if (button.dataset.all !== undefined) chooseAll(button.dataset.all);
  else if (button.dataset.fold !== undefined) fold(button.closest("article"));
  else if (button.dataset.more !== undefined) more(button.closest("article"));
  else if (button.id === "undo") retrace("undo");
  else if (button.dataset.close !== undefined) button.closest("dialog").close();
  else if (button.id === "open-apply") ask("apply");
  else if (button.id === "open-discard") ask("discard");
  else if (button.id === "open-help") byId("help").showModal();
});

document.addEventListener("change", (event) => {
  if (event.target.dataset.viewed !== undefined) view(event.target);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.comment && !form.dataset.end) return;
  event.preventDefault();
  if (form.dataset.comment) comment(form);
  else end(form);
});

// On a narrow screen the groups are folded, so that the edits come first.
if (matchMedia("(max-width: 60rem)").matches)
  for (const list of all("details.groups")) list.open = false;
document.body.dataset.accepted = meta("accepted");
byId("open-apply").disabled = meta("accepted") === "0";
