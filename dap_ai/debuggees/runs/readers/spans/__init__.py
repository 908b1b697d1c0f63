"""Converts traces to runs: spans of any tracing tool, the chat messages in them, and the resulting events.

The readers of trace formats (OpenTelemetry, Langfuse, LangSmith, ...) share this code and only parse their own files.
"""
