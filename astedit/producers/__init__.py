"""Who else makes edits: patches, commands, language servers."""
