"""Compilers of other languages as oracles: what they read before, they read after."""
