"""Interfaces of models: what a request's messages are, how a streamed answer is put together, edited, written. Pure.

One file for each of chat, messages and responses; nothing here knows a connection or a recording.
"""
