"""The endpoint in the model's place, between the real `openai` package and a scripted model."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import openai
import pytest

from dap_ai.debuggees.runs.live.wire.endpoint_recorder import EndpointRecorder
from dap_ai.debuggees.runs.live.wire.endpoint_server import Endpoint as Wire
from dap_ai.debuggees.runs.live.wire.routes import environment, upstreams
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.store import Recording
from tests.chat.endpoint import Endpoint, Reply
from tests.patience import at_worst

TOKEN = "token-of-the-test"
LONG_S = at_worst(60.0)
ASK: Any = {"model": "scripted-model", "messages": [{"role": "user", "content": "Do."}]}


@contextlib.asynccontextmanager
async def wire(upstream: str, folder: Path, variable: str = "OPENAI_BASE_URL") -> AsyncIterator[str]:
    """A running endpoint before an upstream; the address for the agent. The recording is whole when it ends."""
    settings = {variable: upstream}
    recording = Recording(folder, {"started": "2026-01-02T03:04:05Z", "command": ["agent"]})
    known = {each.name: each for each in upstreams(settings)}
    recorder = EndpointRecorder(recording, known)
    endpoint = Wire(TOKEN, known, recorder)
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    server = await endpoint.serve(listener)
    try:
        yield environment(settings, listener.getsockname()[1], TOKEN)[variable]
    finally:
        server.close()
        await endpoint.end()
        await asyncio.to_thread(recorder.close)
        recording.close()
        for link in [each for waiting in endpoint.pool._idle.values() for each in waiting]:
            link.close()
        assert recorder.lost == ""


def client(url: str, **options: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=url, api_key="sk-planted", **{"max_retries": 0, "timeout": LONG_S, **options})


def kinds(run: Run) -> list[str]:
    return [event.kind for event in run.events][1:]


def test_a_stream_passes_piece_by_piece_as_it_comes(tmp_path: Path):
    async def asked(model: Endpoint) -> str:
        async with wire(model.url, tmp_path) as url, client(url) as agent:
            stream = await agent.chat.completions.create(**ASK, stream=True)
            text = ""
            async for chunk in stream:
                text += chunk.choices[0].delta.content or ""
                if text == "one ":
                    model.release()  # the rest is not sent before the first piece is here
            return text

    with Endpoint([Reply(["one ", "two"], hold="text")]) as model:
        assert asyncio.run(asked(model)) == "one two"
    assert [event.text for event in open_run(tmp_path).events if event.kind == "response"] == ["one two"]


def test_an_agent_that_leaves_ends_the_request_and_what_had_come_is_recorded(tmp_path: Path):
    async def left(model: Endpoint) -> None:
        async with wire(model.url, tmp_path) as url, client(url) as agent:
            stream = await agent.chat.completions.create(**ASK, stream=True)
            async for chunk in stream:
                if chunk.choices[0].delta.content:
                    break
            await stream.close()
            assert await asyncio.to_thread(model.requests[0].ended.wait, LONG_S)

    with Endpoint([Reply(["one ", "two"], hold="text")]) as model:
        asyncio.run(left(model))
        assert model.requests[0].left
    run = open_run(tmp_path)
    assert kinds(run) == ["task", "query", "response", "error"]
    assert [event.text for event in run.events[-2:]] == ["one ", "the agent closed the connection"]


def test_a_model_that_breaks_off_is_seen_as_such(tmp_path: Path):
    async def broken(model: Endpoint) -> None:
        async with wire(model.url, tmp_path) as url, client(url) as agent:
            stream = await agent.chat.completions.create(**ASK, stream=True)
            with pytest.raises(Exception, match=r"(?i)closed|incomplete|connection|peer"):
                async for _ in stream:
                    pass

    with Endpoint([Reply(["one ", "two"], break_after=2)]) as model:
        asyncio.run(broken(model))
    run = open_run(tmp_path)
    assert kinds(run) == ["task", "query", "response", "error"]
    assert (run.events[-2].text, run.events[-2].status) == ("one ", "error")


def test_a_model_that_is_not_there_is_told_to_the_agent(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    async def unreached() -> None:
        async with wire(f"http://127.0.0.1:{port}/v1", tmp_path) as url, client(url) as agent:
            with pytest.raises(openai.InternalServerError, match=f"127.0.0.1:{port} cannot be reached"):
                await agent.chat.completions.create(**ASK)

    asyncio.run(unreached())
    run = open_run(tmp_path)
    assert kinds(run) == ["task", "query", "error"] and "cannot be reached" in run.events[-1].text


def test_two_hundred_calls_at_once_are_all_recorded(tmp_path: Path):
    async def many(model: Endpoint) -> list[str]:
        async with wire(model.url, tmp_path) as url, client(url) as agent:

            async def one(number: int) -> str:
                messages: Any = [{"role": "user", "content": f"Number {number}."}]
                reply = await agent.chat.completions.create(model="scripted-model", messages=messages)
                return str(reply.choices[0].message.content)

            return await asyncio.gather(*map(one, range(200)))

    replies = [lambda seen: Reply(f"Heard: {seen.messages[0]['content']}")]
    with Endpoint(replies, endless=True) as model:
        heard = asyncio.run(many(model))
    assert heard == [f"Heard: Number {number}." for number in range(200)]
    run = open_run(tmp_path)
    responses = {event.agent: event.text for event in run.events if event.kind == "response"}
    tasks = {event.agent: event.text for event in run.events if event.kind == "task"}
    assert len([event for event in run.events if event.kind == "response"]) == 200
    assert all(responses[agent] == f"Heard: {task}" for agent, task in tasks.items() if agent in responses)


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_and_an_answer_of_megabytes_pass(stream: bool, tmp_path: Path):
    prompt, answer = "ä" * 1_000_000, "b" * 2_000_000

    async def asked(model: Endpoint) -> str:
        async with wire(model.url, tmp_path) as url, client(url) as agent:
            messages: Any = [{"role": "user", "content": prompt}]
            if not stream:
                reply = await agent.chat.completions.create(model="scripted-model", messages=messages)
                return str(reply.choices[0].message.content)
            chunks = await agent.chat.completions.create(model="scripted-model", messages=messages, stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])

    with Endpoint([Reply(answer, piece_chars=100_000)]) as model:
        assert asyncio.run(asked(model)) == answer
        assert model.requests[0].messages[0]["content"] == prompt
    run = open_run(tmp_path)
    assert run.task == prompt and run.events[-1].text == answer


def test_who_does_not_know_the_token_gets_nowhere(tmp_path: Path):
    async def refused(model: Endpoint) -> list[int]:
        async with wire(model.url, tmp_path) as url:
            wrong = [url.replace(TOKEN, "guess"), url.split(TOKEN)[0], url.replace("openai", "nobody")]
            return [await asyncio.to_thread(status, f"{each}/models") for each in wrong]

    with Endpoint([]) as model:
        assert asyncio.run(refused(model)) == [404, 404, 404]
        assert model.connections == 0


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=LONG_S) as reply:  # noqa: S310
            return reply.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_what_is_no_query_passes_too(tmp_path: Path):
    async def listed(model: Endpoint) -> list[str]:
        async with wire(model.url, tmp_path) as url, client(url) as agent:
            return [each.id async for each in agent.models.list()]

    with Endpoint([]) as model:
        assert asyncio.run(listed(model)) == ["scripted-model"]
    assert [event.text for event in open_run(tmp_path).events][1:] == ["GET /v1/models"]


def test_a_connection_that_the_model_has_closed_meanwhile_is_replaced(tmp_path: Path):
    """A server that closes after each answer, without saying so."""
    body = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Done."}}]}).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    async def twice() -> list[str]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        upstream = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        async with server, wire(upstream, tmp_path) as url, client(url) as agent:
            replies = [await agent.chat.completions.create(**ASK) for _ in range(3)]
            return [str(reply.choices[0].message.content) for reply in replies]

    assert asyncio.run(twice()) == ["Done."] * 3


def events_of(raw: bytes) -> str:
    return "".join(line.decode()[6:] for line in raw.splitlines() if line.startswith(b"data: "))


@pytest.mark.parametrize("stream", [False, True])
def test_responses_are_recorded_as_chats_are(stream: bool, tmp_path: Path):
    tools: Any = [{"type": "function", "name": "bash", "parameters": {"type": "object", "properties": {}}}]

    async def run_agent(model: Endpoint) -> None:
        async with wire(model.url, tmp_path) as url, client(url) as agent:
            history: list[Any] = [{"role": "user", "content": "Do."}]
            options: Any = {"model": "scripted-model", "instructions": "You fix.", "tools": tools}
            for _ in range(2):
                if stream:
                    async with agent.responses.stream(input=history, **options) as events:
                        reply: Any = await events.get_final_response()
                else:
                    reply = await agent.responses.create(input=history, **options)
                history += [item.model_dump(exclude_none=True) for item in reply.output]
                calls = [item for item in reply.output if item.type == "function_call"]
                history += [{"type": "function_call_output", "call_id": each.call_id, "output": "a"} for each in calls]

    script = [Reply("I look.", calls=[("bash", {"command": "ls"})], reasoning="Hm."), Reply("Done.")]
    with Endpoint(script) as model:
        asyncio.run(run_agent(model))
    check_two_cycles(open_run(tmp_path))


@pytest.mark.parametrize("stream", [False, True])
def test_messages_are_recorded_as_chats_are(stream: bool, tmp_path: Path):
    def post(url: str, body: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json", "x-api-key": "sk-planted"}
        request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode(), headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=LONG_S) as reply:  # noqa: S310
            return reply.read()

    async def run_agent(model: Endpoint) -> None:
        async with wire(model.url.removesuffix("/v1"), tmp_path, "ANTHROPIC_BASE_URL") as url:
            mark = {"cache_control": {"type": "ephemeral"}}
            thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
            call = {"type": "tool_use", "id": "call_0", "name": "bash", "input": {"command": "ls"}}
            result = {"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "a"}]}
            first = [{"role": "user", "content": [{"type": "text", "text": "Do.", **mark}]}]
            second = [
                {"role": "user", "content": [{"type": "text", "text": "Do."}]},
                {"role": "assistant", "content": [thought, {"type": "text", "text": "I look."}, call]},
                {"role": "user", "content": [{**result, **mark}]},
            ]
            for messages in (first, second):
                body = {"model": "scripted-model", "max_tokens": 9, "system": "You fix.", "tools": [{"name": "bash"}]}
                raw = await asyncio.to_thread(post, url, {**body, "messages": messages, "stream": stream})
                assert b"call_0" in raw or b"Done." in raw

    script = [Reply("I look.", calls=[("bash", {"command": "ls"})], reasoning="Hm."), Reply("Done.")]
    with Endpoint(script) as model:
        asyncio.run(run_agent(model))
    check_two_cycles(open_run(tmp_path))


def check_two_cycles(run: Run) -> None:
    assert kinds(run) == ["note", "task", "query", "response", "call", "result", "query", "response"]
    _, note, task, _, first, call, result, _, last = run.events
    assert [note.text, task.text, first.text, first.reasoning, last.text] == [
        "You fix.",
        "Do.",
        "I look.",
        "Hm.",
        "Done.",
    ]
    assert (call.tool, call.text, call.arguments) == ("bash", "ls", {"command": "ls"})
    assert (result.text, result.tool, result.step) == ("a", "bash", call.step)
    assert first.usage and (first.usage.input_tokens, first.usage.output_tokens) == (1000, 50)
    assert (run.problems, len(run.agents)) == ([], 1)


def scripted(answers: dict[str, Sequence[Reply]]) -> list[Any]:
    """Replies by the text of the first user message: each conversation has its own."""
    left = {task: list(replies) for task, replies in answers.items()}

    def reply(seen: Any) -> Reply:
        return left[next(row["content"] for row in seen.messages if row["role"] == "user")].pop(0)

    return [reply]


def test_a_sub_agent_is_an_agent_of_its_own_below_the_call_that_started_it(tmp_path: Path):
    tools: Any = [
        {"type": "function", "function": {"name": "review", "parameters": {"type": "object", "properties": {}}}}
    ]

    async def run_agent(model: Endpoint) -> None:
        async with wire(model.url, tmp_path) as url, client(url) as agent:

            async def ask(messages: list[Any], **options: Any) -> None:
                reply = await agent.chat.completions.create(model="scripted-model", messages=messages, **options)
                messages.append(reply.choices[0].message.to_dict())

            main: list[Any] = [{"role": "system", "content": "You lead."}, {"role": "user", "content": "Build it."}]
            await ask(main, tools=tools)
            below: list[Any] = [
                {"role": "system", "content": "You review."},
                {"role": "user", "content": "Look at it."},
            ]
            await ask(below)
            below.append({"role": "user", "content": "Look again."})
            await ask(below)
            call_id = main[-1]["tool_calls"][0]["id"]
            main.append({"role": "tool", "tool_call_id": call_id, "content": below[-1]["content"]})
            await ask(main, tools=tools)

    replies = scripted(
        {
            "Build it.": [Reply("Review, please.", calls=[("review", {})]), Reply("Built.")],
            "Look at it.": [Reply("Hm."), Reply("Fine.")],
        }
    )
    with Endpoint(replies, endless=True) as model:
        asyncio.run(run_agent(model))
    run = open_run(tmp_path)
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("review", "main")]
    spoken = [(event.agent, event.cycle, event.text) for event in run.events if event.kind == "response"]
    assert spoken == [
        ("main", 1, "Review, please."),
        ("review", 1, "Hm."),
        ("review", 2, "Fine."),
        ("main", 2, "Built."),
    ]
    assert [event.text for event in run.events if event.kind == "result"] == ["Fine."]
