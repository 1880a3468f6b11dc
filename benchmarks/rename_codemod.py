"""The peer for renaming a call in Python: the same job as a libcst codemod."""

import libcst as cst
import libcst.matchers as m
from libcst.codemod import VisitorBasedCodemodCommand


class RenameCall(VisitorBasedCodemodCommand):
    """`force_str(…)` becomes `as_text(…)`."""

    DESCRIPTION = "Rename the calls of one function."

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Renames one call."""
        if m.matches(original_node.func, m.Name("force_str")):
            return updated_node.with_changes(func=cst.Name("as_text"))
        return updated_node
