"""An agent of smolagents as its documentation has it. TIMEOUT_S: its client's time-out."""

import os
import subprocess

from smolagents import OpenAIServerModel, ToolCallingAgent, tool


@tool
def shell(command: str) -> str:
    """Runs a shell command.

    Args:
        command: what to run
    """
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


model = OpenAIServerModel("scripted-model", client_kwargs={"timeout": float(os.environ.get("TIMEOUT_S", "600"))})
agent = ToolCallingAgent(tools=[shell], model=model, max_steps=30)
print("ANSWER", agent.run("Write hello into a.txt."))
