"""Agents that know nothing of dap_ai, for tests of `dap-ai record`."""
