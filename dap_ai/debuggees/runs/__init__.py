"""Recorded and live runs of LLM agents: read, normalized, analysed. No DAP and no editor in here."""
