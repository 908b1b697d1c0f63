"""An agent of the OpenHands SDK as its documentation has it. TIMEOUT_S: its client's time-out, whole seconds."""

import os
from pathlib import Path

from openhands.sdk import LLM, Agent, Conversation, Tool
from openhands.tools.terminal import TerminalTool

llm = LLM(
    model="openai/gpt-4o",
    api_key=os.environ["OPENAI_API_KEY"],
    usage_id="agent",
    timeout=int(os.environ.get("TIMEOUT_S", "300")),
)
agent = Agent(llm=llm, tools=[Tool(name=TerminalTool.name)])
conversation = Conversation(agent=agent, workspace=str(Path.cwd()))
conversation.send_message("Write hello into a.txt.")
conversation.run()
print("ANSWER", conversation.state.execution_status)
