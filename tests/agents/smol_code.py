"""An agent of smolagents that writes Python instead of calling tools."""

from pathlib import Path

from smolagents import CodeAgent, OpenAIServerModel, tool


@tool
def save(name: str, text: str) -> str:
    """Writes a file.

    Args:
        name: its name
        text: what is in it
    """
    Path(name).write_text(text)
    return f"{len(text)} characters"


agent = CodeAgent(tools=[save], model=OpenAIServerModel("scripted-model"), max_steps=4)
print("ANSWER", agent.run("Write hello into a.txt."))
