"""Exports of a run, one module per format. Pure: they take a run and return the contents of files.

Nothing is masked here; callers pass a run that is already masked. `view/` and `page/` build the HTML page.
"""
