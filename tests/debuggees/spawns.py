"""Runs a second Python and takes its answer."""

import subprocess
import sys

code = "import sys; numbers = [1, 2, 3]; print(sum(numbers)); sys.exit(4)"
done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE)
print("child", done.returncode, done.stdout.decode().strip(), flush=True)  # @bp
