"""Examples to rules: do everywhere what was done in a few places.

In: texts before and after, places that must stay as they are, and answers. Out: rules of the
rule language with their tests, or why there are none. Pure: nothing here writes or stages, and
no model is called. The same input gives the same rules.
"""
