"""What commands print, one file a format."""
