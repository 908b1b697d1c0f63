"""Who writes the answer; built-ins and others come through the entry-point group `dap_ai.providers`."""
