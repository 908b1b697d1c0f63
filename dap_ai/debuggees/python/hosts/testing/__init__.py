"""`pytest --ask`: a plugin that asks why a test has failed, where it has failed.

Without the flag nothing but `plugin` is imported. The test's process is read and copied by what is injected into any
Python process that holds itself; a process beside it, started at the first failure, does everything else.

1. What a test replaces in a module is not called here: the plugin is loaded apart (`apart.py`).
2. An error of ours becomes a line of the summary, and the test's outcome stays as it is (`guest.py`).
3. The test runs again in a copy, because pytest's frames are on the stack while its report is made.

`onpath/` is no package: PYTHONPATH brings that folder, with the one module that pytest loads by name in each worker.
"""
