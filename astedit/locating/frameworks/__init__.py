"""Routes and clients as frameworks write them: one file a framework or language."""
