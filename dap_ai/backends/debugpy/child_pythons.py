"""Makes debugpy debug a child process that runs another Python only if debugpy works in that Python.

debugpy inserts itself into the command line of every child whose executable is named like a Python. A child that cannot
import debugpy (too old or too new, a broken installation, a script of that name) would end with debugpy's traceback
instead of doing its work. So dap_ai tries each other Python once, with the child's own options, before its first child.
If the trial fails, the command line stays unchanged. Python 3.11 and later also gets the option to freeze no modules,
which debugpy passes to the program itself: otherwise debugpy writes warnings to the child's console.

This text runs in the debuggee, in each debugged process: standard library only, Python 3.8 and later.
"""

from __future__ import annotations

_PATCH = r"""
import os, re, shutil, subprocess, sys
from _pydev_bundle import pydev_monkey

PYTHON = re.compile(r"(python|pypy)[\d.]*[a-z]?(\.exe)?$", re.IGNORECASE)
CODE = re.compile(r"-[A-Za-z]*c$")
UNFROZEN = ("-X", "frozen_modules=off")
TRIAL = "import sys; sys.path.insert(0, %r); import pydevd" % os.path.dirname(sys.modules["pydevd"].__file__)
TRIAL_S = 20.0
tried = {}

def options_of(args, patched):
    # The part before the program's name is the same in both command lines.
    count = 0
    while count < min(len(args), len(patched)) and args[count] == patched[count]:
        count += 1
    return args[:count - 1] if count > 1 and CODE.match(os.fsdecode(args[count - 1])) else args[:count]

def is_able(options):
    key = tuple(options)
    if key not in tried:
        try:
            with pydev_monkey.skip_subprocess_arg_patch():
                silent = subprocess.DEVNULL
                done = run([*options, "-c", TRIAL], stdin=silent, stdout=silent, stderr=silent, timeout=TRIAL_S)
            tried[key] = done.returncode == 0
        except Exception:
            tried[key] = False
    return tried[key]

def fitted(args, patched):
    found = shutil.which(os.fsdecode(args[0]))
    if found is None or not PYTHON.match(os.path.basename(os.fsdecode(args[0]))):
        return args
    is_ours = os.path.realpath(found) == os.path.realpath(sys.executable)
    if not is_ours and not is_able(options_of(args, patched)):
        return args
    if is_ours and sys.version_info < (3, 11) or any("frozen_modules" in os.fsdecode(each) for each in patched):
        return patched
    unfrozen = [os.fsencode(each) if isinstance(args[0], bytes) else each for each in UNFROZEN]
    return [patched[0], *unfrozen, *patched[1:]]

def install(plain=pydev_monkey.patch_args):
    def patch_args(args, is_exec=False):
        patched = plain(args, is_exec)
        if patched is args:
            return args
        try:
            return fitted(list(args), list(patched))
        except Exception:
            return args

    if not hasattr(plain, "dap_ai"):  # a fork has it from its parent
        patch_args.dap_ai = True
        pydev_monkey.patch_args = patch_args

run = subprocess.run
install()
"""

INSTALL = f"__import__('builtins').exec({_PATCH!r}, {{}})"
"""An expression that installs the check; evaluate it without a frameId before the program starts.

Works in Python 3.8 to 3.14.
"""
