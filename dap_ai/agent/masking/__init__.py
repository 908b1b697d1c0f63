"""How a secret is told from ordinary text: by its name, its shape, its randomness, or because it is known."""
