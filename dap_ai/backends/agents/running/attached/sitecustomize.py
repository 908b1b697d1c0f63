"""What Python runs first in an agent's process that is debugged itself: debugpy listens, and the gate is told where.

Then the sitecustomize that would have run else. Only the first process: those that it starts are not the agent. Its
folder is on PYTHONPATH, and holds nothing else. Python 3.8 and newer; standard library, and the debugpy that is named.
"""

import importlib.machinery
import importlib.util
import json
import os
import sys
import urllib.request

_HERE = os.path.dirname(os.path.abspath(__file__))
_TOLD_S = 5


def _listen() -> None:
    """Nothing of ours may end the agent."""
    folder, gate = os.environ.pop("DAP_AI_DEBUGPY", ""), os.environ.get("DAP_AI_GATE", "")
    if not folder or not gate:
        return
    try:
        place = os.path.join(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location("debugpy", place, submodule_search_locations=[folder])
        if spec is None or spec.loader is None:
            return
        module = importlib.util.module_from_spec(spec)
        sys.modules["debugpy"] = module
        spec.loader.exec_module(module)
        module.configure(subProcess=False)
        _, port = module.listen(("127.0.0.1", 0))
        said = json.dumps({"kind": "python", "port": port, "pid": os.getpid()}).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(urllib.request.Request(gate, said), timeout=_TOLD_S).close()
    except Exception:
        sys.stderr.write("dap-ai: the agent's Python cannot be debugged itself\n")


def _the_users() -> None:
    """Raises what that one raises, as Python would have told it."""
    places = [os.path.abspath(place or ".") for place in sys.path]
    behind = places[places.index(_HERE) + 1 :] if _HERE in places else []
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", behind)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_listen()
_the_users()
