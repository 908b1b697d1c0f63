"""Tools that only native programs have, and the forms that others take there."""
