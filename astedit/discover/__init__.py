"""Which files a run is about: named ones, and those below named directories."""
