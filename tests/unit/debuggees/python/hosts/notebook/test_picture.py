"""A value path as a picture."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from dap_ai.debuggees.python.hosts.notebook.path_picture import picture
from dap_ai.protocol.wire.value_path import PathNode

SPACE = "{http://www.w3.org/2000/svg}"


def drawn(*nodes: PathNode) -> ET.Element:
    return ET.fromstring(picture(nodes, lambda text: text.replace("/cells/c7.py", "In [7]"), "label"))  # noqa: S314  ours


def node(expression: str, value: str, **more: object) -> PathNode:
    return PathNode(expression, value, "frame", "/cells/c7.py", 3, "f", "set", **more)  # pyright: ignore[reportArgumentType]


def test_a_card_has_value_expression_and_place():
    texts = [text.text for text in drawn(node("total", "-3"), node("a", "")).iter(f"{SPACE}text")]
    assert texts == ["-3", "total", "In [7]:3 f", "not known", "a", "In [7]:3 f"]


def test_the_program_s_text_cannot_break_out_of_the_picture():
    image = drawn(node("</text><script>", "'\"&<'"), node("b", "2"))
    assert {element.tag for element in image.iter()} == {
        SPACE + t for t in ("svg", "title", "style", "rect", "text", "path")
    }


def test_cards_wrap_within_the_width():
    image = drawn(*(node(f"name_{n}", f"{n:020d}") for n in range(9)))
    ends = [float(box.attrib["x"]) + float(box.attrib["width"]) for box in image.iter(f"{SPACE}rect")]
    assert max(ends) <= float(image.attrib["width"])
    assert len({box.attrib["y"] for box in image.iter(f"{SPACE}rect")}) > 1
