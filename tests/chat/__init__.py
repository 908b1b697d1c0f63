"""A language model's endpoint for tests and benchmarks; see endpoint.py."""
