"""What one Python module says about names: definitions, values, and where names are used."""
