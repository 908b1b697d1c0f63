"""Installs the hook when Python starts in the agent's process, then runs the user's own sitecustomize.

The folder of this file is on PYTHONPATH and contains no other file, so that it shadows no other module. Python 3.8 and
newer; standard library only.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _hook() -> None:
    """Install the hook; swallow all errors, which must not end the agent."""
    try:
        if os.environ.get("DAP_AI_LISTENING"):
            import runpy

            runpy.run_path(os.environ.pop("DAP_AI_LISTENING"))
        if os.environ.get("DAP_AI_GATE"):
            folder = os.path.dirname(_HERE)
            place = os.path.join(folder, "__init__.py")
            spec = importlib.util.spec_from_file_location("_dap_ai_hook", place, submodule_search_locations=[folder])
            if spec is None or spec.loader is None:
                return
            module = importlib.util.module_from_spec(spec)
            sys.modules["_dap_ai_hook"] = module
            spec.loader.exec_module(module)
            module.install()
    except Exception:
        pass


def _the_users() -> None:
    """Run the user's sitecustomize, which this file shadows. Its exceptions propagate; Python reports them as usual."""
    places = [os.path.abspath(place or ".") for place in sys.path]
    behind = places[places.index(_HERE) + 1 :] if _HERE in places else []
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", behind)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_hook()
_the_users()
