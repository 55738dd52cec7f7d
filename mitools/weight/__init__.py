"""weight: memory of each program."""
