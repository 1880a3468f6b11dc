"""The version, alone, so that `astedit --version` imports nothing else."""

__version__ = "0.1.0"
