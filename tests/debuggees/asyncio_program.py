"""Three tasks: one waits, one works, one fails."""

import asyncio


async def fetch(name, delay):
    await asyncio.sleep(delay)
    return {"name": name}


async def total_of(names):
    answers = [await fetch(name, 0) for name in names]
    return sum(answer["size"] for answer in answers)  # @bp


async def main():
    waiting = asyncio.ensure_future(fetch("slow", 60))
    working = asyncio.ensure_future(fetch("quick", 0))
    try:
        print(await working, flush=True)
        print("total", await total_of(["a", "b"]), flush=True)
    finally:
        waiting.cancel()


asyncio.run(main())
