"""Keeps frames of generated code in debugpy's stack if `linecache` has their source.

attrs and template engines compile code from text and store the text in `linecache` under a name such as `<generated>`,
so that a traceback can quote it. debugpy treats such a file as library code or as its own code, and omits the frame
from the stack, though the failure may be there. With this change debugpy shows the frame, but still steps over the
code.
"""

from __future__ import annotations

from dap_ai.backends.debugpy.running_text import expression_of

_HOOK = r"""
import linecache
from _pydevd_bundle import pydevd_frame_utils
from _pydevd_bundle.pydevd_net_command_factory_json import NetCommandFactoryJson


class Shown:
    # pydevd shows a plugin's frames, such as templates', whatever their file is.
    IS_PLUGIN_FRAME = True

    def __init__(self, frame):
        self.frame = frame

    def __getattr__(self, name):
        return getattr(self.frame, name)

class Debugger:
    # pydevd's debugger, which takes attrs's generated files for its own; this one does not.
    def __init__(self, debugger):
        self.debugger = debugger

    def get_file_type(self, frame, *more):
        return None if has_source(frame) else self.debugger.get_file_type(frame, *more)

    def __getattr__(self, name):
        return getattr(self.debugger, name)

def has_source(frame):
    try:
        name = frame.f_code.co_filename
        entry = linecache.cache.get(name) if name.startswith("<") and name.endswith(">") else None
        return type(entry) is tuple and len(entry) == 4 and entry[1] is None and bool(entry[2])
    except Exception:
        return False  # a program may put anything into linecache

def innermost(tb, frame):
    # The innermost generated frame of the traceback, called from `frame`; `frame` if there is none.
    found = None
    while tb is not None:
        if tb.tb_frame is frame or (found is not None and has_source(tb.tb_frame)):
            found = tb.tb_frame
        tb = tb.tb_next
    return found or frame

def install(kind):
    plain, listed = kind._iter_visible_frames_info, pydevd_frame_utils.create_frames_list_from_traceback
    if getattr(plain, "is_dap_ai", False):
        return

    def iter_visible_frames_info(self, py_db, *args, **options):
        for row in plain(self, Debugger(py_db), *args, **options):
            yield (row[0], Shown(row[1]), *row[2:]) if has_source(row[1]) else row

    def create_frames_list_from_traceback(trace_obj, frame, *args, **options):
        return listed(trace_obj, innermost(trace_obj, frame), *args, **options)

    iter_visible_frames_info.is_dap_ai = True
    kind._iter_visible_frames_info = iter_visible_frames_info
    pydevd_frame_utils.create_frames_list_from_traceback = create_frames_list_from_traceback

install(NetCommandFactoryJson)
"""

INSTALL = expression_of(_HOOK)
"""An expression that installs this change; evaluate it without a frameId before the program starts.

Works in Python 3.8 and later.
"""
