"""What `%load_ext dap_ai` costs a kernel: a cell without an error, and how soon `%why` says something.

    python benchmarks/notebook.py [CELLS]

In one real kernel after the other, the same cells with the extension and without, in turns. Needs ipykernel.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_client.manager import start_new_kernel

HOOK_COST = """
import time as _time
_result, _magics = None, None
def _keep(result):
    global _result
    _result = result
get_ipython().events.register("post_run_cell", _keep)
"""
TIME_HOOK = """
import dap_ai.debuggees.python.hosts.notebook.extension as _e
_magics = next(iter(_e._loaded.values()))
_result.info.cell_id = "an id, as front ends send it"
_spent = []
for _ in range(1000):
    _began = _time.perf_counter()
    _magics.after_cell(_result)
    _spent.append(_time.perf_counter() - _began)
print(sorted(_spent)[500] * 1000)
"""
DEFINES = "def spread(xs):\n    return max(xs) - min(x)\ndata = [3, 4, 5]"


@contextmanager
def kernel() -> Iterator[Any]:
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client: Any, code: str) -> tuple[float, list[float], str]:
    """(milliseconds until idle, of each output, what was printed)."""
    began, outputs, printed = time.perf_counter(), list[float](), list[str]()

    def hear(message: dict[str, Any]) -> None:
        if message["msg_type"] in ("display_data", "update_display_data"):
            outputs.append((time.perf_counter() - began) * 1000)
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    client.execute_interactive(code, output_hook=hear, timeout=120)
    return (time.perf_counter() - began) * 1000, outputs, "".join(printed)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with kernel() as plain, kernel() as ours:
        loaded, _, _ = run(ours, "%load_ext dap_ai")
        times: dict[str, list[float]] = {"without": [], "with": []}
        for number in range(count):
            for name, client in (("without", plain), ("with", ours)):
                times[name].append(run(client, f"x{number} = {number}")[0])
        run(ours, HOOK_COST)
        run(ours, "y = 1")
        hook = float(run(ours, TIME_HOOK)[2])
        run(ours, DEFINES)
        run(ours, "spread(data)")
        time.sleep(3)  # so long one reads a traceback
        whole, outputs, _ = run(ours, "%why")
        _, first_slice, _ = run(ours, "%slice data")
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"| a cell without an error, median of {count} | ms |\n|---|---:|")
    print(f"| without the extension | {medians['without']:.2f} |")
    print(f"| with it | {medians['with']:.2f} |")
    print(f"| its hook alone | {hook:.4f} |")
    print("\n| with the extension | ms |\n|---|---:|")
    print(f"| %load_ext dap_ai | {loaded:.0f} |")
    print(f"| %why, first words | {outputs[0]:.0f} |")
    print(f"| %why, all of it | {whole:.0f} |")
    print(f"| %slice, over {count + 5} cells | {first_slice[0]:.0f} |")


if __name__ == "__main__":
    main()
