"""What files say about names, kept on disk between two commands.

In goes plain data under a key that holds the hash of the bytes it is about; the same data come
out, or none. No row holds source text beyond names, and none is believed whose sum is wrong.
"""
