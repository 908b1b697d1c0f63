"""An agent of smolagents as its documentation has it."""

import subprocess

from smolagents import OpenAIServerModel, ToolCallingAgent, tool


@tool
def shell(command: str) -> str:
    """Runs a shell command.

    Args:
        command: what to run
    """
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


agent = ToolCallingAgent(tools=[shell], model=OpenAIServerModel("scripted-model"), max_steps=4)
print("ANSWER", agent.run("Write hello into a.txt."))
