"""Layout texts to regions, and the last region to the grid of tiles it means."""
