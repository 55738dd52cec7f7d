"""Medians of the times that users notice: `python -m benchmarks [NAME …]`, or `make bench`."""
