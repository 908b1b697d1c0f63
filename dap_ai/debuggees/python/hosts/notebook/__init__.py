"""`%load_ext dap_ai`: questions in IPython and Jupyter. Nothing here is imported without it."""
