"""`move`: definitions go to another module, and everything that uses them follows."""
