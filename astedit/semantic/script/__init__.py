"""JavaScript and TypeScript: names followed through what modules say, in one file an operation."""
