"""Exports of a run to other formats: one file a format. Pure: a run in, the bytes of files out.

Nothing is masked here: whoever exports passes a run that is masked already. `view/` and `page/` make the HTML page.
"""
