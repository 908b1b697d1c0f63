"""Thread pools of numeric libraries: their threads do not exist in a copy, so it must not wait for them."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys
from typing import Any

from .syscalls import Step, read_file

_LIBRARY = re.compile(rb"^\S+ r\S+ .* (/\S*(?:blas|blis|mkl_rt|gomp|iomp5|libomp)[^/]*\.so[^/]*)$", re.MULTILINE)
_SETTERS = (
    "openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
    "MKL_Set_Num_Threads",
    "omp_set_num_threads",
    "bli_thread_set_num_threads",
)

_found: list[Any] = []
_modules_then = -1


def _find() -> None:
    """Looks for the loaded libraries; again only when modules have been imported since."""
    global _modules_then
    if len(sys.modules) == _modules_then:
        return
    _modules_then = len(sys.modules)
    _found.clear()
    for path in sorted(set(_LIBRARY.findall(read_file(b"/proc/self/maps")))):
        try:
            library = ctypes.PyDLL(os.fsdecode(path), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            continue  # replaced on disk since it was loaded
        for setter in filter(None, (getattr(library, name, None) for name in _SETTERS)):
            setter.restype = None
            _found.append(setter)


def one_thread() -> list[Step]:
    """The loaded libraries do their work in the calling thread from then on."""
    _find()
    return [("threads", functools.partial(setter, 1), None) for setter in _found]
