"""Other parameters of a function, in its definitions and in every evident call."""
