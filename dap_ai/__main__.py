"""Entry point of `python -m dap_ai`: runs `dap-ai`, after removing the current folder from the import path.

Until this file runs, Python looks for modules in the current folder first.
"""

import os
import sys

if sys.path[:1] == [os.getcwd()] and os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):  # noqa: PTH100, PTH109, PTH120  a pathlib in that folder would be imported
    del sys.path[0]

from dap_ai.cli import main

if __name__ == "__main__":
    main()
