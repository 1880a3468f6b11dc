"""`inline`: a name goes, and what it stands for is written where it was used."""
