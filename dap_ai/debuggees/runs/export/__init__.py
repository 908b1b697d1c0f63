"""Exports of a run, with one module per format.

An export takes a run and returns the contents of files, without writing them. Exports mask no secrets, so callers pass
a masked run. `view/` and `page/` build the HTML page.
"""
