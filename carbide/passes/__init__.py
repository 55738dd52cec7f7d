"""Passes over the IR: each takes a verified program and returns one."""
