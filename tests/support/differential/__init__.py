"""What ast-grep, rope and a slow matcher of our own say of the same code."""
