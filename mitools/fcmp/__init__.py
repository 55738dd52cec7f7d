"""fcmp: two files of numbers compared."""
