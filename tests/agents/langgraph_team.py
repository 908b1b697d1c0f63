"""Two agents of LangChain on LangGraph, one a tool of the other.

python langgraph_team.py chat|responses [--async]

TIMEOUT_S in the environment: its client's time-out.
"""

import asyncio
import os
import subprocess
import sys

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

TIMEOUT_S = float(os.environ.get("TIMEOUT_S", "600"))
model = ChatOpenAI(model="scripted-model", use_responses_api=sys.argv[1] == "responses", timeout=TIMEOUT_S)
reviewer = create_agent(model, [], system_prompt="You review.", name="reviewer")


@tool
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


@tool
def review(path: str) -> str:
    """Reviews a file."""
    return reviewer.invoke({"messages": [{"role": "user", "content": f"Review {path}."}]})["messages"][-1].text


lead = create_agent(model, [shell, review], system_prompt="You lead.", name="lead")
asked = {"messages": [{"role": "user", "content": "Write hello into a.txt."}]}
done = asyncio.run(lead.ainvoke(asked)) if "--async" in sys.argv else lead.invoke(asked)
print("ANSWER", done["messages"][-1].text)
