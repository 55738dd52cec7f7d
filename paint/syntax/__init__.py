"""Grammar, syntax tree, parser and printer of layouts."""
