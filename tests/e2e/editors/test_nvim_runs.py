"""Runs of agents, recorded and live, in a real Neovim with nvim-dap, by the docs' snippet; see test_nvim.py for what is looked for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.chat.endpoint import Endpoint, Reply
from tests.e2e.editors import test_nvim
from tests.e2e.editors.running import run_editor
from tests.e2e.editors.snippets import snippets
from tests.integration.live_agents import AGENTS

pytestmark = test_nvim.pytestmark
RUN = Path(__file__).parents[3] / "examples/runs/discount.traj.json"

_DRIVER = """
vim.opt.runtimepath:prepend(os.getenv("NVIM_DAP"))
local seen = {}
local function save()
  vim.fn.writefile({ vim.json.encode(seen) }, os.getenv("SEEN"))
end
local function wait(what, condition)
  if not vim.wait(tonumber(os.getenv("WAIT_MS")), condition, 20) then
    seen.failed = what
    save()
    vim.cmd("cquit")
  end
end
local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\\n")
end
dofile(os.getenv("FOLDER") .. "/init.lua")
local dap = require("dap")
local stops = 0
dap.listeners.after.event_stopped.test = function() stops = stops + 1 end
local function stopped(what, move)
  local before = stops
  local frame = dap.session() and dap.session().current_frame
  move()
  wait(what, function()
    local now = dap.session() and dap.session().current_frame
    return stops > before and now ~= nil and now ~= frame
  end)
  local session = dap.session()
  return { line = session.current_frame.line, name = session.current_frame.name,
           file = vim.fn.fnamemodify(session.current_frame.source.path, ":t") }
end
local function answered(what, send)
  local done
  send(function(err, body) done = { err = err, body = body } end)
  wait(what, function() return done end)
  return done
end
"""
_RECORDED = """
seen.entry = stopped("the first stop", function() vim.cmd("DapRun " .. os.getenv("RUN")) end)
seen.into = stopped("a step into", dap.step_into)
seen.back = stopped("a step back", dap.step_back)
local set
dap.listeners.after.setFunctionBreakpoints.test = function(_, _, body) set = body end
vim.cmd([[DapRunBreak tool:* if "pytest" in args.command and step > 3]])
wait("the breakpoint", function() return set end)
seen.verified = set.breakpoints[1].verified
local filters
dap.listeners.after.setExceptionBreakpoints.test = function() filters = true end
dap.set_exception_breakpoints({ "failedCheckIgnored" })
wait("the filter", function() return filters end)
seen.breakpoint = stopped("the breakpoint's stop", dap.continue)
local frames = answered("the stack", function(done)
  dap.session():request("stackTrace", { threadId = dap.session().stopped_thread_id }, done)
end).body.stackFrames
dap.up()
wait("the event's document", function() return vim.fn.expand("%:t") == frames[2].source.name end)
seen.document = text(0)
dap.down()
seen.filter = stopped("the stop of the filter", dap.continue)
local repl = require("dap.repl")
repl.open()
local buffer
for _, each in ipairs(vim.api.nvim_list_bufs()) do
  if vim.bo[each].filetype == "dap-repl" then buffer = each end
end
repl.execute("??why did it fail")
wait("the answer in the REPL", function() return text(buffer):find("Recommendation", 1, true) end)
repl.execute("search 17.991")
wait("what was found", function()
  local asked = text(buffer):find("search 17.991", 1, true)
  return asked and text(buffer):find("17.991 == 17.99", asked, true)
end)
seen.repl = text(buffer)
dap.terminate()
wait("the end of the session", function() return dap.session() == nil end)
save()
vim.cmd("qall!")
"""


_LIVE = """
dap.listeners.after.event_exited.test = function(_, body) seen.code = body.exitCode end
seen.entry = stopped("the hold before the first query", function() vim.cmd("DapAgent " .. os.getenv("AGENT")) end)
local filters
dap.listeners.after.setExceptionBreakpoints.test = function() filters = true end
dap.set_exception_breakpoints({ "call" })
wait("the filter", function() return filters end)
seen.call = stopped("the hold before the call", dap.continue)
dap.up()
wait("the call's document", function() return text(0):find("echo one", 1, true) end)
vim.cmd([[%s/echo one/echo edited > made.txt/]])
vim.cmd("write")
seen.again = stopped("the hold before the next call", dap.continue)
local repl = require("dap.repl")
repl.open()
repl.execute("drop")
local buffer
for _, each in ipairs(vim.api.nvim_list_bufs()) do
  if vim.bo[each].filetype == "dap-repl" then buffer = each end
end
wait("what is said of it", function()
  seen.repl = text(buffer)
  return seen.repl:find("not made", 1, true)
end)
dap.continue()
wait("the end of the session", function() return dap.session() == nil end)
save()
vim.cmd("qall!")
"""


def run(folder: Path, driver: str, **variables: str) -> dict[str, Any]:
    """What Neovim has seen, stop by stop."""
    (folder / "init.lua").write_text("\n".join(snippets("Runs of agents", "lua")))
    (folder / "driver.lua").write_text(_DRIVER + driver)
    state = {name: str(folder / "state") for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME")}
    variables |= {"DRIVER": str(folder / "driver.lua"), "NVIM_DAP": str(test_nvim.NVIM_DAP), **state}
    command = [test_nvim.NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"lua {test_nvim.GUARDED}"]
    return run_editor(command, folder, variables)


def test_a_live_agent_is_held_edited_and_goes_on(tmp_path: Path):
    commands = ("echo one", "echo two > dropped.txt")
    with Endpoint([*(Reply("", calls=[("bash", {"command": each})]) for each in commands), Reply("Done.")]) as model:
        seen = run(
            tmp_path,
            _LIVE,
            AGENT=f"{sys.executable} {AGENTS / 'tiny.py'} go",
            OPENAI_BASE_URL=model.url,
            OPENAI_API_KEY="sk-none",
            XDG_DATA_HOME=str(tmp_path / "data"),
        )
    assert "query" in seen["entry"]["name"]
    assert "bash: echo one" in seen["call"]["name"]
    assert (tmp_path / "made.txt").read_text() == "edited\n"
    assert not (tmp_path / "dropped.txt").exists()
    assert seen["code"] == 0


def test_a_run_is_stepped_through_stopped_at_and_asked_about(tmp_path: Path):
    seen = run(tmp_path, _RECORDED, RUN=str(RUN))
    assert seen["entry"]["file"] == "run.md"
    assert seen["into"]["line"] == seen["entry"]["line"] + 1
    assert seen["back"]["line"] == seen["entry"]["line"]
    assert seen["verified"] is True
    assert "bash: python -m pytest -q" in seen["breakpoint"]["name"]
    assert json.loads(seen["document"]) == {"tool": "bash", "arguments": {"command": "python -m pytest -q"}}
    assert "COMPLETE_TASK" in seen["filter"]["name"]
    assert "went wrong at step 4" in seen["repl"]
    assert "17.991 == 17.99" in seen["repl"]
