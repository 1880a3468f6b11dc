"""Why a pattern is not read as meant, or matches nothing, and what to write instead."""
