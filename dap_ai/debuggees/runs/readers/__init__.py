"""One file for each format of recorded runs, found by the entry-point group `dap_ai.readers`."""
