"""Rule packages: where a pack comes from, what is in it, and the lock that pins it.

In goes an entry of `packs:`, out come rules whose ids begin with the pack's name. A pack is
data: no code of it runs, its paths stay inside it, and reading one never reaches the network.
Only the command `astedit pack` fetches, and writes the lock.
"""
