"""What a person types: one module for each command, imported when it is used."""
