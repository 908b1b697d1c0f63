"""Two agents of Pydantic AI, one a tool of the other.

python pydantic_team.py chat|responses|anthropic [--stream]

TIMEOUT_S in the environment: its client's time-out.
"""

import asyncio
import os
import subprocess
import sys

from pydantic_ai import Agent

MODEL = {
    "chat": "openai-chat:scripted-model",
    "responses": "openai-responses:scripted-model",
    "anthropic": "anthropic:scripted-model",
}[sys.argv[1]]
TIMEOUT = {"timeout": float(os.environ.get("TIMEOUT_S", "600"))}
lead = Agent(MODEL, name="lead", instructions="You lead.", model_settings=TIMEOUT)
reviewer = Agent(MODEL, name="reviewer", instructions="You review.")


@lead.tool_plain
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


@lead.tool_plain
async def review(path: str) -> str:
    """Reviews a file."""
    return (await reviewer.run(f"Review {path}.")).output


async def main():
    if "--stream" in sys.argv:
        async with lead.run_stream("Write hello into a.txt.") as result:
            return await result.get_output()
    return (await lead.run("Write hello into a.txt.")).output


print("ANSWER", asyncio.run(main()))
