"""An agent's own edit tool before the gate: a call goes in, the client's own form comes out.

`program` is what a client starts, and imports nothing of ours. `answer` reads the call and
decides, `edits` says what files would hold, `staged` makes that a pending action of the
client's session. Nothing here writes into a workspace.
"""
