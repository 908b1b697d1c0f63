"""Traces as runs: spans of any tracing tool, the chat messages in them, and the events they become.

Shared by the trace readers (OpenTelemetry, Langfuse, LangSmith, ...), which only parse their own file formats.
"""
