"""A real Neovim with nvim-dap, set up by the snippets of docs/editors.md.

Looked for: nvim by DAP_AI_NVIM, else on PATH; nvim-dap's folder by DAP_AI_NVIM_DAP, else where plug-ins usually are.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.editors.running import find_folder, find_program, run_editor
from tests.e2e.editors.snippets import snippets

FOLDERS = (
    ".local/share/nvim/site/pack/*/*/nvim-dap",
    ".local/share/nvim/lazy/nvim-dap",
    ".local/share/nvim/plugged/nvim-dap",
    ".vim/plugged/nvim-dap",
)
NVIM = find_program("DAP_AI_NVIM", "nvim")
NVIM_DAP = find_folder("DAP_AI_NVIM_DAP", "lua/dap.lua", *FOLDERS)
pytestmark = [
    pytest.mark.skipif(not NVIM, reason="no nvim on PATH, nor in DAP_AI_NVIM"),
    pytest.mark.skipif(not NVIM_DAP, reason="no nvim-dap in the plug-in folders, nor in DAP_AI_NVIM_DAP"),
]
Find = Callable[..., Any]

_DRIVER = """
vim.opt.runtimepath:prepend(os.getenv("NVIM_DAP"))
local seen = {}
local function save()
  vim.fn.writefile({ vim.json.encode(seen) }, os.getenv("SEEN"))
end
local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
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
vim.cmd.edit(os.getenv("PROGRAM"))
dap.run(dap.configurations.python[1])
wait("the stop at the exception", function()
  return dap.session() and dap.session().current_frame ~= nil
end)
seen.line = dap.session().current_frame.line
local repl = require("dap.repl")
repl.open()
local buffer = vim.fn.bufnr("dap-repl", false)
for _, each in ipairs(vim.api.nvim_list_bufs()) do
  if vim.bo[each].filetype == "dap-repl" then buffer = each end
end
repl.execute("??")
wait("the answer in the REPL", function() return text(buffer):find("Recommendation", 1, true) end)
seen.repl = text(buffer)
vim.cmd("DapAsk why is it so")
local float
wait("the answer in a window", function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      local shown = text(vim.api.nvim_win_get_buf(window))
      if shown:find("Recommendation", 1, true) then float = window end
    end
  end
  return float
end)
seen.float = text(vim.api.nvim_win_get_buf(float))
dap.terminate()
wait("the end of the session", function() return dap.session() == nil end)
save()
vim.cmd("qall!")
"""

GUARDED = "local ok, why = pcall(dofile, vim.env.DRIVER) if not ok then io.stderr:write(why) vim.cmd.cquit() end"
"""A mistake in a script ends Neovim, which would wait for its user otherwise."""


@pytest.fixture
def seen(tmp_path: Path, debuggee: Find) -> dict[str, Any]:
    """What Neovim has seen of one session: where it stopped, its REPL, its window; and nvim-dap's log."""
    (tmp_path / "init.lua").write_text("\n".join(snippets("Neovim", "lua")))
    driver = tmp_path / "driver.lua"
    driver.write_text(_DRIVER)
    variables = {
        "DRIVER": str(driver),
        "NVIM_DAP": str(NVIM_DAP),
        "PROGRAM": str(debuggee("crash").path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "state"),
    }
    command = [NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"lua {GUARDED}"]
    seen = run_editor(command, tmp_path, variables)
    logs = (tmp_path / "state").rglob("dap*.log")
    return {**seen, "log": "".join(log.read_text() for log in logs)}


def test_neovim_stops_asks_in_its_repl_and_by_the_command_of_the_docs(seen: dict[str, Any], debuggee: Find):
    assert seen["line"] == debuggee("crash").line
    assert "What happened." in seen["repl"]
    assert "**" not in seen["repl"], "the REPL renders no Markdown"
    assert "**What happened.**" in seen["float"]
    assert 'event = "ask' not in seen["log"], "nvim-dap warns of events that nothing listens to"
