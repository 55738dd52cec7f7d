"""What routers do with colors: rules per tile, their checks, their text."""
