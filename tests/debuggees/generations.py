"""A program whose work is done by descendants: `generations.py KIND`, with `work` in the last generation of each.

Every process that does work says so in a line; the lines and the exit code are the program's outcome.
"""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys


def work(number):
    double = number * 2  # @bp work
    sys.stdout.write("work %d\n" % double)
    sys.stdout.flush()
    return double


def in_process(start_method, depth, number):
    if not depth:
        work(number)
        return
    context = multiprocessing.get_context(start_method)
    child = context.Process(target=in_process, args=(start_method, depth - 1, number))
    child.start()
    child.join()
    sys.exit(child.exitcode)


def pool(start_method):
    workers = multiprocessing.get_context(start_method).Pool(2)
    print("sum", sum(workers.map(work, [1, 2, 3])))
    workers.close()  # `with` would kill a worker that has had nothing to do, at any moment of its start
    workers.join()


def executor(start_method):
    context = multiprocessing.get_context(start_method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as workers:
        print("sum", sum(workers.map(work, [1, 2, 3])))


def again(*arguments):
    return [sys.executable, __file__, *arguments]


def chain(depth):
    if not depth:
        work(1)
        return
    sys.exit(subprocess.call(again("chain", str(depth - 1))))


def ranks(count):
    """Starts all ranks at once, as a job launcher does."""
    started = [subprocess.Popen(again("chain", "0", "--rank", str(number))) for number in range(int(count))]
    sys.exit(max(each.wait() for each in started))


def replaced(depth):
    if not depth:
        work(1)
        return
    os.execv(sys.executable, again("replaced", str(depth - 1)))


def forks(depth):
    if not depth:
        work(1)
        return
    pid = os.fork()
    if pid == 0:
        try:
            forks(depth - 1)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(pid, 0)


def reloader():
    """As web frameworks do: the program starts itself, and again while its child asks for it by exit code 3."""
    if os.environ.get("RUN_MAIN"):
        work(int(os.environ["RUN_MAIN"]))
        sys.exit(3 if os.environ["RUN_MAIN"] == "1" else 0)
    for turn in ("1", "2"):
        code = subprocess.call([sys.executable, *sys.argv], env={**os.environ, "RUN_MAIN": turn})
        if code != 3:
            sys.exit(code)


def mixed(left):
    """Another way at each generation: `mixed call,spawn,fork,forkserver`."""
    way, _, rest = left.partition(",")
    if not way:
        work(1)
    elif way == "call":
        sys.exit(subprocess.call(again("mixed", rest)))
    else:
        child = multiprocessing.get_context(way).Process(target=mixed, args=(rest,))
        child.start()
        child.join()
        sys.exit(child.exitcode)


def main(kind, *arguments):
    kinds = {
        "process": lambda how, depth: in_process(how, int(depth), 1),
        "pool": pool,
        "executor": executor,
        "chain": lambda depth, *_: chain(int(depth)),
        "ranks": ranks,
        "replaced": lambda depth: replaced(int(depth)),
        "forks": lambda depth: forks(int(depth)),
        "reloader": reloader,
        "mixed": mixed,
    }
    kinds[kind](*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
