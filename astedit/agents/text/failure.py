"""What is wrong with a call, as text for a model: the sentence, and what to call next."""

import re

from astedit.agents.tools import spec
from astedit.errors import RequestError

_AGAIN = (
    'Call ast_edit again with the same arguments, or resolve with action "apply" and '
    'extra {"refresh": true} to preview the change again in its place.'
)
_NEXT = {  # the whole way on, where the hint of the error is for people or there is none
    "stale": _AGAIN,
    "other_version": _AGAIN,
    "nothing_pending": "Call ast_edit to preview a change first.",
    "unknown_action": "Call pending for the ids.",
    "needs_attention": "A person runs, on a terminal: astedit recover",
    "interrupted": "A person runs, on a terminal: astedit recover",
    "blocked": "A person runs, on a terminal: astedit recover",
    "already_resolved": "There is nothing left to do for it; call pending for what is left.",
    "superseded": "Call pending with the new id as target to read it, then resolve with that id.",
    "unknown_edit": "Call pending with this target for its files; edit ids are in its resource.",
    "limit_reached": "Raise maxFiles or maxReplacements, name fewer paths, or set allowPartial.",
    "incomplete": "Set allowPartial to stage the rest, or leave those files out with glob.",
    "unexpected_count": "Look at the matches with ast_grep, then call ast_edit again.",
    "busy": "Nothing was done; call again when the other apply has ended.",
    "not_found": "Call locate with the name, and pass the id it answers with.",
    "bad_config": "A person mends the configuration; the call itself was not looked at.",
    "io": "Tell the person: something on this machine is in the way, not your arguments.",
    "internal": "Tell the person: this is a fault of astedit, not of your arguments.",
}
_LANGUAGES = "Usual names work: python, typescript, tsx, cpp, go."
_WHOLE_ID = "Call pending for the ids, and pass the whole id as target."
_TOOLS = {"search": "`ast_grep`", "locate": "`locate`", "edit": "`ast_edit`", "show": "`pending`"}
_SPAN = re.compile(
    r" ?`astedit explain[^`]*` shows [^.;]*(?P<explain>[.;])"
    r"|(?P<languages>(See )?`astedit languages`( lists the names and aliases)?[.;])"
    r"|`astedit (?P<command>\w+)[^`]*`"
    r"|`[^`]*`|(?<!\w)'[^']*'"  # quoted code, in which a flag is no flag
    r"|(?<![\w-])(?P<pattern>-p )|(?<![\w-])--(?P<flag>[a-z][a-z-]*)"
)


def failed_text(code: str, message: str, hint: str | None) -> str:
    """The text of an answer that is an error; `next:` begins its last line."""
    return f"error ({code}): {for_agents(message)}\n" + (f"next: {hint}\n" if hint else "")


def way_on(error: BaseException, code: str, tool: str) -> str:
    """What to call after this error of that tool."""
    if code in _NEXT:
        return _NEXT[code]
    if code == "ambiguous" and tool in ("pending", "resolve"):  # also of patterns and names
        return _WHOLE_ID
    hint = for_agents(getattr(error, "hint", None) or "")
    if hint.strip("."):
        return hint
    if isinstance(error, RequestError):
        what = "YAML" if code in ("bad_rule", "bad_yaml") else "arguments"
        return f"Change the {what} and call {tool} again."
    return "Call pending for what is staged."


def for_agents(text: str) -> str:
    """A hint for the command line, in the words of the tools: `--max-files` is `maxFiles`."""
    return _SPAN.sub(_reworded, text).removeprefix(". ").strip()


def _reworded(match: re.Match[str]) -> str:
    command, flag = match["command"], match["flag"]
    if match["explain"]:  # no tool; what it shows comes as hints by itself
        return "."
    if match["languages"]:
        return _LANGUAGES
    if command in _TOOLS:
        return _TOOLS[command]
    if match["pattern"]:
        return "pat "
    name = _camel(flag) if flag else None
    return f"`{name}`" if name in spec("ast_edit").schema["properties"] else match[0]


def _camel(flag: str) -> str:
    first, *rest = flag.split("-")
    return first + "".join(map(str.capitalize, rest))
