"""Compiles a layout's programs and writes its image and map."""
