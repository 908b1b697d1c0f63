"""APIs of models: splits requests into messages; assembles, edits and encodes streamed answers. Does no I/O.

One file each for Chat Completions, Anthropic Messages and Responses. Nothing here depends on connections or recordings.
"""
