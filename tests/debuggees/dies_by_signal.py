"""Dies by the signal that its argument names: SIGSEGV, SIGKILL, ..."""

import os
import signal
import sys

number = signal.Signals[sys.argv[1]]
print("about to die", flush=True)  # @bp
os.kill(os.getpid(), number)
signal.pause()
