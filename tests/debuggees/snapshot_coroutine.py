"""A coroutine that stands still while its event loop runs."""

import asyncio


async def doubled(x):
    return 2 * x


async def awaiting(x):
    return await doubled(x)  # @bp


print(asyncio.run(awaiting(2)))
