"""`pytest --ask`: a plugin that asks why a test has failed, where it has failed.

Without the flag nothing but `plugin` is imported. The test's process is read and copied by what is injected into any
Python process that holds itself; a process beside it, started at the first failure, does everything else.
"""
