"""The interfaces of models: what a request's messages are, and a streamed answer put together. No input or output."""
