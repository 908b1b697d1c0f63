"""An agent of forty lines on the real `openai` package: asks, runs the shell commands it is told, until none is told.

    python plain.py [--stream] [--task TEXT] [--retries N] [--timeout S]

Prints the last answer; exit code 3.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

import openai

PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOLS: Any = [{"type": "function", "function": {"name": "bash", "parameters": PARAMETERS}}]
MODEL = "scripted-model"


def asked(client: openai.OpenAI, messages: Any, *, stream: bool) -> dict[str, Any]:
    """The answer as a message."""
    if not stream:
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
        return reply.choices[0].message.to_dict()
    text, calls = "", dict[int, dict[str, Any]]()
    options: Any = {"include_usage": True}
    for chunk in client.chat.completions.create(
        model=MODEL, messages=messages, tools=TOOLS, stream=True, stream_options=options
    ):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for part in choice.delta.tool_calls or []:
                call = calls.setdefault(part.index, {"type": "function", "function": {"name": "", "arguments": ""}})
                call["id"] = part.id or call["id"]
                call["function"]["name"] += (part.function and part.function.name) or ""
                call["function"]["arguments"] += (part.function and part.function.arguments) or ""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    return message | ({"tool_calls": list(calls.values())} if calls else {})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--task", default="Make a file.")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60)
    wanted = parser.parse_args()
    client = openai.OpenAI(max_retries=wanted.retries, timeout=wanted.timeout)
    messages: list[Any] = [{"role": "system", "content": "You fix."}, {"role": "user", "content": wanted.task}]
    while True:
        message = asked(client, messages, stream=wanted.stream)
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"], flush=True)
            sys.exit(3)
        for call in message["tool_calls"]:
            ran = subprocess.run(
                json.loads(call["function"]["arguments"])["command"], shell=True, capture_output=True, text=True
            )
            content = f"<returncode>{ran.returncode}</returncode>\n{ran.stdout}{ran.stderr}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


if __name__ == "__main__":
    main()
