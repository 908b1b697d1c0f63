"""Layouts: what a file of recorded events means, where no reader knows its format. Declarative: no code is ever run."""
