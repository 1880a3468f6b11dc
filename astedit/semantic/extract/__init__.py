"""`extract`: a part of a function gets a name, if the program then does the same."""
