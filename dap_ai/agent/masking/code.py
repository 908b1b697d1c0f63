"""Secrets beside their names as C, C++ and Rust write them: what Python, data and logs do not look like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.masking.names import Named
from dap_ai.agent.masking.patterns import lazy
from dap_ai.agent.masking.quoting import unescaped
from dap_ai.agent.masking.spans import Span
from dap_ai.agent.masking.values import is_secret_bare, is_secret_quoted

_BRIDGE = lazy(
    r"""(?:
        (?P<set>
            (?:\[\w{0,20}\]){1,2}\s{0,4}=\s{0,4}\{?\s{0,4}                    # char password[] = "..."
          | \s{0,4}:\s{0,4}&\s?(?:'static\s)?str\s{0,4}=\s{0,4}               # const PASSWORD: &str = "..."
          | \s{0,4}[:=]\s{0,4}[A-Za-z_][\w:]{0,40}\(\s{0,4}                   # password = String::from("...")
          | \{\s{0,4}                                                         # std::string password{"..."}
        )
      | \(\s{0,4}                                                             # std::string password("...")
      | "?\s{0,4},\s{0,4}                                    # strcmp(password, "..."), {"KEY", "..."}
    )(?:L|u8?|U|b)?"(?P<value>(?:[^"\\\n]|\\.){0,2000})\"""",
    re.VERBOSE,
)


def secret_in_code(text: str, found: Named) -> Iterator[Span]:
    """The string that belongs to a name."""
    bridge = _BRIDGE.match(text, found.end)
    if bridge is None:
        return
    # Beside a name in a call stands anything: only what looks like a secret by itself, too, is one.
    judged = is_secret_quoted if bridge["set"] else is_secret_bare
    if judged(bridge["value"], strong=found.strong and found.sure):
        yield Span(*bridge.span("value"), f"name: {found.word}", unescaped(bridge["value"]))
