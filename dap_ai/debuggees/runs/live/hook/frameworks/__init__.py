"""A file a framework: its part of the table, and how its calls and results look."""
