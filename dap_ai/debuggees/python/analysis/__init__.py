"""The offline analyst: which line holds the mistake, and what proves it, without a model."""
