"""An agent on Responses (the real `openai` package) or on Messages (bare HTTP): runs the shell commands it is told.

    python others.py responses|messages [--stream] [--timeout S]

Prints the last answer; exit code 3.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import urllib.request
from typing import Any

MODEL, TASK = "scripted-model", "Make a file."
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def run(command: str) -> str:
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return f"<returncode>{ran.returncode}</returncode>\n{ran.stdout}{ran.stderr}"


def responses(wanted: argparse.Namespace) -> str:
    import openai

    client: Any = openai.OpenAI(timeout=wanted.timeout)
    tools = [{"type": "function", "name": "bash", "parameters": SCHEMA, "strict": False}]
    history: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        asked = {"model": MODEL, "instructions": "You fix.", "input": history, "tools": tools}
        if wanted.stream:
            done = [e for e in client.responses.create(**asked, stream=True) if e.type == "response.completed"]
            answer = done[0].response
        else:
            answer = client.responses.create(**asked)
        output = [item.to_dict() for item in answer.output]
        history += output
        calls = [item for item in output if item["type"] == "function_call"]
        if not calls:
            return str(answer.output_text)
        for call in calls:
            text = run(json.loads(call["arguments"])["command"])
            history.append({"type": "function_call_output", "call_id": call["call_id"], "output": text})


def streamed(lines: Any) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    for line in lines:
        if not line.startswith(b"data:"):
            continue
        event = json.loads(line[5:])
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "json": ""})
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            blocks[event["index"]]["json"] += delta.get("partial_json", "")
            if "text" in delta:
                blocks[event["index"]]["text"] += delta["text"]
    for block in blocks:
        written = block.pop("json")
        if block["type"] == "tool_use":
            block["input"] = json.loads(written or "{}")
    return {"content": blocks}


def messages(wanted: argparse.Namespace) -> str:
    history: list[Any] = [{"role": "user", "content": TASK}]
    tools = [{"name": "bash", "description": "runs", "input_schema": SCHEMA}]
    while True:
        asked = {"model": MODEL, "max_tokens": 900, "system": "You fix.", "messages": history, "tools": tools}
        body = json.dumps({**asked, "stream": wanted.stream}).encode()
        request = urllib.request.Request(f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages", body)  # noqa: S310  http
        with urllib.request.urlopen(request, timeout=wanted.timeout) as answer:  # noqa: S310  the same
            content = (streamed(answer) if wanted.stream else json.load(answer))["content"]
        history.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        if not calls:
            return "".join(block.get("text", "") for block in content)
        told = [{"type": "tool_result", "tool_use_id": c["id"], "content": run(c["input"]["command"])} for c in calls]
        history.append({"role": "user", "content": told})


parser = argparse.ArgumentParser()
parser.add_argument("api", choices=("responses", "messages"))
parser.add_argument("--stream", action="store_true")
parser.add_argument("--timeout", type=float, default=60)
given = parser.parse_args()
print({"responses": responses, "messages": messages}[given.api](given), flush=True)
sys.exit(3)
