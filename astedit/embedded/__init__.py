"""Code inside other documents: where it is, in which language, and the way back.

HTML, Vue and Svelte hold scripts and styles, Markdown fences, notebooks cells. Each piece
is a `Part`: a text of its own for a parser, whose edits are carried back to the file.
"""
