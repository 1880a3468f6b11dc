"""`astedit lsp`: rules in an editor, over unsaved text, and plans that are staged there.

In go documents as the editor has them, out come diagnostics, code actions and code lenses. The
server writes no file, and sends no edit of a plan: what is staged is resolved by the gate.
"""
