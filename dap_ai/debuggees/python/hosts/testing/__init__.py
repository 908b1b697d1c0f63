"""`pytest --ask`: a plugin that explains why a test failed, at the failure.

Without the flag only `plugin` is imported. The inspector and snapshots, the same code as under a debugger, read and
copy the test's process. A separate process, started at the first failure, does all other work.

1. Code that a test replaces in a module is not called here: the plugin is loaded separately (`apart.py`).
2. An error in dap_ai becomes a line of the summary; the test's outcome is unchanged (`guest.py`).
3. The test is rerun in a copy, because pytest's frames are on the stack while its report is made.

`onpath/` is not a package: PYTHONPATH adds that folder, with the one module that pytest loads by name in each worker.
"""
