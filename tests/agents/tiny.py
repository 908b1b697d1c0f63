"""An agent of nothing but the standard library: asks Chat Completions, runs the commands that it is told, in order.

    python tiny.py [--time] [--path] TASK

`--time` puts the time, and `--path` the working directory and a random word, into the first message. Exit code 0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": PARAMETERS}}]


def asked(messages: list[dict[str, object]]) -> dict[str, object]:
    body = json.dumps({"model": "scripted-model", "messages": messages, "tools": TOOLS}).encode()
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310  http
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310  the same
            return json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        sys.exit(f"refused: {error.read().decode()}")


def main() -> None:
    flags = [each for each in sys.argv[1:] if each.startswith("--")]
    said = "You fix."
    said += f" It is {time.time()}." if "--time" in flags else ""
    said += f" You are in {Path.cwd()}, {'aXe' + uuid.uuid4().hex[:3] + 'Zz'}." if "--path" in flags else ""
    messages: list[dict[str, object]] = [
        {"role": "system", "content": said},
        {"role": "user", "content": sys.argv[-1]},
    ]
    while True:
        message = asked(messages)
        messages.append(message)
        calls: list = message.get("tool_calls") or []  # type: ignore[type-arg, assignment]
        if not calls:
            print(message["content"])
            return
        for call in calls:
            command = json.loads(call["function"]["arguments"])["command"]
            ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            content = f"<returncode>{ran.returncode}</returncode>\n{ran.stdout}{ran.stderr}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


if __name__ == "__main__":
    main()
