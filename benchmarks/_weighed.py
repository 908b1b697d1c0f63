"""`dap-ai` that keeps what its last ranking came from: `python _weighed.py FILE dap-ai's arguments...`.

FILE gets what was in view and what was tried, pickled: `_fitting.py` ranks that again with other weights.
"""

from __future__ import annotations

import copyreg
import pickle
import sys
import threading
from pathlib import Path

from dap_ai.cli import main
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.answer import failure_answers

_STACK = 512 << 20
"""Bytes: trees of long programs are deep."""

if __name__ == "__main__":
    for lock in (threading.Lock, threading.RLock):
        copyreg.pickle(type(lock()), lambda _each, made=lock: (made, ()))
    file, rerank = Path(sys.argv[1]), failure_answers.rerank

    def keep(analysis: StopAnalysis, trials: Trials) -> None:
        """In a thread of its own, whose stack is large enough."""
        rerank(analysis, trials)

        def write() -> None:
            sys.setrecursionlimit(1_000_000)
            file.write_bytes(pickle.dumps((analysis.view, trials)))

        threading.stack_size(_STACK)
        writing = threading.Thread(target=write)
        writing.start()
        threading.stack_size(0)
        writing.join()

    failure_answers.rerank = keep
    sys.argv[1:] = sys.argv[2:]
    main()
