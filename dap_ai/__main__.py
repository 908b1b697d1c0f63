"""`python -m dap_ai` is `dap-ai`."""

from dap_ai.cli import main

if __name__ == "__main__":
    main()
