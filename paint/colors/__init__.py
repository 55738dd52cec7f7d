"""Numbers for colors: what may be equal to what, the smallest solution, or why there is none."""
