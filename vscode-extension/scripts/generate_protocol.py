"""Writes what is made from dap_ai: src/shared/protocol.ts, the tools in package.json, the table of docs/protocol.md.

    protocol.ts     the messages of `ask_messages` and the `report` (dap_ai/protocol/wire), and the names of the tools
    package.json    the tools of VS Code's agent mode
    protocol.md     what each tool takes, needs and gives

A tool tells all of it itself (dap_ai/agent/tools, its arguments dap_ai/protocol/contracts/tool_arguments.py).

python vscode-extension/scripts/generate_protocol.py [--check]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
import told_tools  # noqa: E402  beside this file
import typescript  # noqa: E402

from dap_ai.debuggees.runs.export.view import view_shape  # noqa: E402
from dap_ai.protocol.wire import ask_messages, report, value_path  # noqa: E402

EXTENSION = ROOT / "vscode-extension"


def generated() -> Mapping[Path, str]:
    """The files, whole."""
    manifest, docs = EXTENSION / "package.json", ROOT / "docs" / "protocol.md"
    return {
        EXTENSION / "src" / "shared" / "protocol.ts": typescript.interfaces(value_path, report, ask_messages)
        + "\n"
        + told_tools.typescript(),
        EXTENSION / "src" / "shared" / "runView.ts": typescript.interfaces(view_shape),
        manifest: told_tools.manifest(manifest.read_text(encoding="utf-8")),
        docs: told_tools.docs(docs.read_text(encoding="utf-8")),
    }


def main() -> int:
    """Writes the files, or with --check says which of them are out of date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is out of date")
    options = parser.parse_args()
    files = generated()
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if not options.check:
            path.write_text(files[path], encoding="utf-8")
        print(f"{'out of date' if options.check else 'written'}: {path.relative_to(ROOT)}")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
