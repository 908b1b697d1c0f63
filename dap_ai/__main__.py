"""`python -m dap_ai` is `dap-ai`, except that Python looks for modules in the current folder until this file runs."""

import os
import sys

if sys.path[:1] == [os.getcwd()] and os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):  # noqa: PTH100, PTH109, PTH120  pathlib may lie in that folder
    del sys.path[0]

from dap_ai.cli import main

if __name__ == "__main__":
    main()
