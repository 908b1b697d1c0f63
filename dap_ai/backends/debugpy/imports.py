"""Source text that calls a function with a module as soon as the module has been imported.

The text runs in the debuggee as part of dead_ends.py: standard library only, Python 3.8 and later. An imported module
has the same loader and spec as it would have without this text.
"""

from __future__ import annotations

IMPORTS = r"""
class Loading:
    # The loader of one module, and what is called after it.
    def __init__(self, plain, loaded):
        self.plain, self.loaded = plain, loaded

    def create_module(self, spec):
        return self.plain.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.plain
        self.plain.exec_module(module)
        call_with(module, self.loaded)

    def __getattr__(self, name):
        return getattr(self.plain, name)

class Imports:
    # A finder: by name, what is to be called with the module.
    def __init__(self, functions):
        self.functions = functions

    def find_spec(self, name, path=None, target=None):
        loaded = self.functions.pop(name, None)
        if loaded is None:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = Loading(spec.loader, loaded)
                return spec
        return None

def call_with(module, function):
    try:
        function(module)
    except Exception:
        pass  # another version: its failures are looked at when they are reported

def when_imported(functions):
    for name in [name for name in functions if name in sys.modules]:
        call_with(sys.modules[name], functions.pop(name))
    sys.meta_path.insert(0, Imports(functions))
"""
"""Source that defines `when_imported`; the code around it must import `sys`."""
