"""The command line: options in, exit codes and text out; it knows nothing the engine would need."""
