"""Entry point of `python -m dap_ai`: removes the current folder from the import path, then runs `dap-ai`.

Python adds the current folder to the import path before it runs this file.
"""

import os
import sys

if sys.path[:1] == [os.getcwd()] and os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):  # noqa: PTH100, PTH109, PTH120  a pathlib in that folder would be imported
    del sys.path[0]

from dap_ai.cli import main

if __name__ == "__main__":
    main()
