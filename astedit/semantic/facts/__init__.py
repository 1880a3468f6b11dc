"""What one Python module says about names, as plain data."""
