"""Commits the workspace during a run, in a thread: one commit per query, with the results of all earlier calls.

One thread and one queue save the states in the order of the queries, and only this thread writes the index. The agent
does not wait for a commit. Therefore a state may include changes by calls that run while the commit is made.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.live.workspace.git import GitError
from dap_ai.debuggees.runs.live.workspace.repository import CannotFollow, Repository

Done = Callable[[Sequence[str] | None], None]
"""Callback that is called once a state is saved, with the changed files, or None without changes."""


class Following:
    """Saves workspace states in a thread. Queries that arrive during a commit share the next commit."""

    def __init__(self, directory: Path, git_dir: Path) -> None:
        """Save the first state. Raises CannotFollow."""
        if directory in (Path.home(), Path(directory.anchor)):
            raise CannotFollow(f"{directory} is too much to follow; --workspace names another directory")
        self.changes = 0
        self.trouble = ""
        self._repository = Repository(directory, git_dir)
        self._repository.begin()
        self._record: Callable[[Mapping[str, Any]], None] = lambda _: None
        self._first = {"workspace": str(directory), "at": time.time(), "commit": self._repository.head}
        self._asked: queue.SimpleQueue[tuple[int | None, Done] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="workspace", daemon=True)

    def begin(self, record: Callable[[Mapping[str, Any]], None]) -> None:
        """Start the thread. `record` gets lines for the recording; the first line is about the first state."""
        self._record = record
        record(self._first)
        self._thread.start()

    @property
    def head(self) -> str:
        """The newest commit's hash."""
        return self._repository.head

    def asked(self, query: int, done: Done) -> None:
        """Request a commit of the state before a query; the thread calls `done` afterwards."""
        self._asked.put((query, done))

    def close(self) -> None:
        """Save the last state and stop the thread."""
        self._asked.put((None, lambda _: None))
        self._asked.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._asked.get()) is not None:
            # All waiting queries share the next commit: they would save the same state, and a slow commit must not
            # build up a queue.
            waiting = [first]
            while not self._asked.empty() and (more := self._asked.get()) is not None:
                waiting.append(more)
                first = more
            files = self._keep(first[0])
            for _, done in waiting:
                done(files)
            if waiting[-1][0] is None:
                return

    def _keep(self, query: int | None) -> list[str] | None:
        began = time.time()
        try:
            made = self._repository.commit("at the end" if query is None else f"before query {query}")
        except (GitError, OSError) as error:
            self.trouble = self.trouble or str(error)
            self._record({"note": f"the workspace could not be kept: {error}", "at": time.time()})
            return None
        if made is None:
            return None
        for words in made.left_out:
            self._record({"note": words, "at": began})
        if made.sha:
            self.changes += 1
            row = {"change": self.changes, "at": began, "took_s": time.time() - began, "query": query}
            self._record({**row, "commit": made.sha, "files": made.files})
            return [" ".join(map(str, each)) for each in made.files]
        return None
