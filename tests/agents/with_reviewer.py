"""Two agents of the OpenAI Agents SDK, one a tool of the other.

python with_reviewer.py chat_completions|responses [--stream]

TIMEOUT_S in the environment: its client's time-out.
"""

import asyncio
import os
import subprocess
import sys

from agents import Agent, Runner, function_tool, set_default_openai_api, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
set_default_openai_api(sys.argv[1])
if "TIMEOUT_S" in os.environ:
    set_default_openai_client(AsyncOpenAI(timeout=float(os.environ["TIMEOUT_S"])))


@function_tool
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


reviewer = Agent(name="Reviewer", instructions="You review.", model="scripted-model")
review = reviewer.as_tool("review", "Reviews a file.")
lead = Agent(name="Lead", instructions="You lead.", model="scripted-model", tools=[shell, review])


async def main():
    if "--stream" in sys.argv:
        result = Runner.run_streamed(lead, "Write hello into a.txt.")
        async for _ in result.stream_events():
            pass
        return result.final_output
    return (await Runner.run(lead, "Write hello into a.txt.")).final_output


print("ANSWER", asyncio.run(main()))
