"""Agent frameworks that the hook supports, one file each: the functions to wrap, and the format of calls and results.

To support another framework, write a file here, and add the framework's modules to `import_hook.MODULES` and a line to
tests/integration/test_hook_contract.py. Never import a framework at module level: the hook sees a framework when the
agent imports it.
"""
