"""Substitution as an oracle: an edit is right if it is the template with everything in brackets.

Each cell of a matrix is an operand in a template in a surrounding. A parser of the language
that knows nothing of ours reads what was made and what was meant, and drops the brackets.
"""
