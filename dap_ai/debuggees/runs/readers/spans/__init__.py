"""Traces as runs: what a span of any tool says, chat messages of any shape within it, and the events of spans.

Shared by the readers of traces (OpenTelemetry, Langfuse, LangSmith, ...), each of which knows only its own files.
"""
