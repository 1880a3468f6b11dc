"""What is installed for which client: `clients/` has one file a client, all else follows from it.

A row says where a client reads its settings, what stands there for astedit, which tools it
edits with, and how it is told no. `rows` reads them for the kit and for the hook, `settings`
puts entries into a text and takes them out again, `install` is the command's work.
"""
