"""milink: images joined and checked."""
