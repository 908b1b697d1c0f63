"""Fails, and holds itself; argument: `asks` (in this terminal), `waits` (for others), `prompts` or `uncaught`."""

import sys

import dap_ai


def mean(xs):
    return sum(xs) / len(xs)


def report(groups):
    return {name: mean(xs) for name, xs in groups.items()}


def main():
    print(report({"a": [1, 2], "b": []}))


if sys.argv[1] == "uncaught":
    dap_ai.install()
    main()
elif sys.argv[1] == "prompts":
    total = 41
    breakpoint()
    print("went on")
else:
    try:
        main()
    except ZeroDivisionError:
        status = dap_ai.post_mortem(options=["--json"]) if sys.argv[1] == "asks" else dap_ai.hold()
        print("went on:", status, file=sys.stderr)
