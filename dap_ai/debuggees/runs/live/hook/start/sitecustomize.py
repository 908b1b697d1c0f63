"""What Python runs first in the agent's process: begins the hook, then the sitecustomize that would have run else.

Its folder is on PYTHONPATH, and holds nothing else, so that no other name is taken. Python 3.8 and newer; standard
library.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _hook() -> None:
    """Nothing of ours may end the agent."""
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
    """Raises what that one raises, as Python would have told it."""
    places = [os.path.abspath(place or ".") for place in sys.path]
    behind = places[places.index(_HERE) + 1 :] if _HERE in places else []
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", behind)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_hook()
_the_users()
