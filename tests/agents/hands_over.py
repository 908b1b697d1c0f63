"""Two agents of the OpenAI Agents SDK, one of which hands over to the other."""

import asyncio
import subprocess

from agents import Agent, Runner, function_tool, set_default_openai_api, set_tracing_disabled

set_tracing_disabled(True)
set_default_openai_api("chat_completions")


@function_tool
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


reviewer = Agent(name="Reviewer", instructions="You review.", model="scripted-model")
lead = Agent(name="Lead", instructions="You lead.", model="scripted-model", tools=[shell], handoffs=[reviewer])


async def main():
    return (await Runner.run(lead, "Write hello into a.txt.")).final_output


print("ANSWER", asyncio.run(main()))
