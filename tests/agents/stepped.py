"""An agent that was instrumented for AgentStepper: only its import was changed. It has a model of its own, on no wire."""

import subprocess
import sys
from pathlib import Path

from dap_ai.stepper import AgentStepper

SAYS = ["write", "read", "done"]


class Agent:
    def __init__(self, debugger: AgentStepper) -> None:
        self.debugger = debugger
        self.history = ["Write hello into a.txt."]

    def think(self, cycle: int) -> str:
        prompt = self.debugger.begin_llm_query_breakpoint(
            {"messages": [{"role": "user", "content": h} for h in self.history]}
        )
        assert isinstance(prompt, dict)
        response = SAYS[cycle] if "stop here" not in str(prompt) else "done"
        return str(self.debugger.end_llm_query_breakpoint(response))

    def act(self, action: str) -> str:
        command = {"write": "echo hello > a.txt", "read": "cat a.txt"}[action]
        tool, args = self.debugger.begin_tool_invocation_breakpoint("bash", {"command": command})
        assert tool == "bash"
        ran = subprocess.run(args["command"], shell=True, capture_output=True, text=True)
        result = self.debugger.end_tool_invocation_breakpoint({"out": ran.stdout, "code": ran.returncode})
        assert isinstance(result, dict)
        return str(result["out"])


def main() -> None:
    with AgentStepper("Minimal", "localhost", 8765, str(Path.cwd())) as debugger:
        agent = Agent(debugger)
        for cycle in range(len(SAYS)):
            action = agent.think(cycle)
            if action == "done":
                break
            agent.history += [action, agent.act(action)]
            debugger.commit_agent_changes("a step")
        debugger.post_debug_message("over")
    print("HISTORY", agent.history, file=sys.stdout)


if __name__ == "__main__":
    main()
