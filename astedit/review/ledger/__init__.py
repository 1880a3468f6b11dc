"""What a plan covers and what not: every place where the rarest name of a pattern stands."""
