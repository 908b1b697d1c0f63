"""Several agents at once in one process, of nothing but the standard library: each asks, runs what it is told, ends.

    python many.py [--agents N] [--chars N]

`--chars` is how long the first message of each is. Prints each agent's last answer; exit code 0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import threading
import urllib.request

PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": PARAMETERS}}]


def asked(messages: list) -> dict:
    body = json.dumps({"model": "scripted-model", "messages": messages, "tools": TOOLS}).encode()
    request = urllib.request.Request(f"{os.environ['OPENAI_BASE_URL']}/chat/completions", body)  # noqa: S310  http
    with urllib.request.urlopen(request) as answer:  # noqa: S310  the same
        return json.load(answer)["choices"][0]["message"]


def work(number: int, chars: int) -> None:
    messages: list = [
        {"role": "system", "content": f"You are agent {number}."},
        {"role": "user", "content": "x" * chars or "Go."},
    ]
    while True:
        message = asked(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            print(number, message["content"], flush=True)
            return
        running = [(call, threading.Thread(target=run, args=(call, messages))) for call in message["tool_calls"]]
        for _, thread in running:
            thread.start()
        for _, thread in running:
            thread.join()


def run(call: dict, messages: list) -> None:
    command = json.loads(call["function"]["arguments"])["command"]
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    messages.append({"role": "tool", "tool_call_id": call["id"], "content": ran.stdout})


parser = argparse.ArgumentParser()
parser.add_argument("--agents", type=int, default=1)
parser.add_argument("--chars", type=int, default=0)
wanted = parser.parse_args()
threads = [threading.Thread(target=work, args=(number, wanted.chars)) for number in range(wanted.agents)]
for each in threads:
    each.start()
for each in threads:
    each.join()
