"""Draws a value path, the earlier values that led to a value, as an SVG picture for a notebook.

The picture has a card for each value, in rows, with arrows between the cards. Cards set their own background and text
colours, so that they are readable on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from dap_ai.commands.display.path_line import AT_STOP, links
from dap_ai.protocol.wire.value_path import PathNode
from dap_ai.system.texts import cut

_WIDTH, _HEIGHT, _GAP, _ROW_GAP, _PAD = 720, 62, 34, 14, 10
_CHAR, _MAX_CHARS, _LEAST_CHARS = 7.3, 30, 10
"""Pixels per letter of the widest common 12-pixel font; most and fewest letters on a card's line."""
_STYLE = (
    "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}"
    ".v{font-weight:700}.p{fill:#57606a;font-size:11px}"
    ".c{fill:#f6f8fa;stroke:#8c959f}.f{stroke:#cf222e;stroke-width:2}.b{stroke:#1a7f37;stroke-width:2}"
    ".a{stroke:#8c959f;stroke-width:1.5;fill:none}"
)


def picture(path: Sequence[PathNode], name: Callable[[str], str], label: str) -> str:
    """Returns the value path as an SVG image; empty if the path has fewer than two steps.

    `name`: replaces cell files by cell names. `label`: text for screen readers. The first card has a red edge; the card
    where a value was created has a green edge.
    """
    shown = links(path)
    if len(shown) < 2:
        return ""
    parts: list[str] = []
    x, y = 1.0, 1.0
    for number, (node, is_same) in enumerate(shown):
        lines = _lines(node, is_same, name)
        width = 2 * _PAD + _CHAR * max(_LEAST_CHARS, *map(len, lines))
        if number and x + _GAP + width > _WIDTH:
            x, y = 1.0, y + _HEIGHT + _ROW_GAP
        if number:
            parts.append(_arrow(x, y))
            x += _GAP
        parts.append(_card(x, y, width, lines, "f" if number == 0 else "b" if node.born else ""))
        x += width
    height = y + _HEIGHT + 1
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.0f}"'
    box = f'viewBox="0 0 {_WIDTH} {height:.0f}" role="img" style="max-width:100%;height:auto"'
    return f"{head} {box}><title>{escape(label)}</title><style>{_STYLE}</style>{''.join(parts)}</svg>"


def _lines(node: PathNode, is_same: bool, name: Callable[[str], str]) -> list[str]:
    spot = name(f"{node.file}:{node.line}").strip("`")
    place = spot if not spot.startswith(node.file) else f"{Path(node.file).name}:{node.line}"
    inside = f" {node.function}" if node.function else ""
    first = "the same value" if is_same else node.value + (AT_STOP if node.known == "stop" else "") or "not known"
    return [cut(text, _MAX_CHARS) for text in (first, node.expression, f"{place}{inside}")]


def _card(x: float, y: float, width: float, lines: Sequence[str], kind: str) -> str:
    rows = "".join(
        f'<text class="{style}" x="{x + _PAD:.0f}" y="{y + 18 + 17 * n:.0f}">{escape(line)}</text>'
        for n, (line, style) in enumerate(zip(lines, ("v", "e", "p"), strict=True))
    )
    box = f'<rect class="c {kind}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{_HEIGHT}" rx="6"/>'
    return box + rows


def _arrow(x: float, y: float) -> str:
    """Draws an arrow from the right card to the left card; the right card's value contributed to the left card's."""
    middle, end = y + _HEIGHT / 2, x + _GAP - 6
    head = f"M{x + 12:.0f} {middle - 5:.0f}L{x + 6:.0f} {middle:.0f}L{x + 12:.0f} {middle + 5:.0f}"
    return f'<path class="a" d="M{end:.0f} {middle:.0f}H{x + 6:.0f}{head}"/>'
