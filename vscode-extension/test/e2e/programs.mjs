// Programs to debug.

/** Fails at its second line. */
export const SHARE = `def share(total, people):
    return total / people


def main():
    bill = {"food": 30, "drinks": 12}
    share(sum(bill.values()), 0)


main()
`;

/** Starts SHARE as `share.py` in a process of its own, and stops. */
export const PARENT = `import subprocess
import sys

shares = subprocess.Popen([sys.executable, "share.py"])
breakpoint()
print("the worker ended with", shares.wait())
`;

/** Its work is done by a pool behind a fork server, the second generation of processes; each stops at its breakpoint. */
export const POOL = `import multiprocessing


def share(people):
    breakpoint()
    return 12 // people


if __name__ == "__main__":
    workers = multiprocessing.get_context("forkserver").Pool(1)
    print("shares", workers.map(share, [3]))
    workers.close()
    workers.join()
`;

/** Stops at its own breakpoint, with something to change. */
export const COUNTER = `class Counter:
    def __init__(self):
        self.value = 3


counter = Counter()
breakpoint()
print("value", counter.value)
`;

/** The event loop catches and reports what fails in a task of it; then a loop does not end. */
export const FEED = `import asyncio


async def price(prices, name):
    return prices[name] * 2


async def feed():
    task = asyncio.ensure_future(price({"tea": 3}, "mate"))
    await asyncio.sleep(0.1)
    del task


def drain(limit):
    done = rounds = 0
    while done < limit:
        rounds += 1


asyncio.run(feed())
drain(3)
`;

/** A test that fails by what a function of another module gives. */
export const CART = `def total(prices, rate):
    whole = sum(prices)
    return whole - whole * rate
`;
export const TEST_CART = `from cart import total


def test_total():
    assert total([20, 10], 15) == 25.5
`;

/** Reads behind a null pointer. */
export const CRASH = `#include <stdio.h>

struct node { int value; struct node *next; };

static int last(const struct node *node) {
    while (node->next->value != 0) node = node->next;
    return node->value;
}

int main(int argc, char **argv) {
    struct node end = {2, NULL};
    struct node start = {argc, &end};
    printf("%s %d\\n", argv[0], last(&start));
    return 0;
}
`;
