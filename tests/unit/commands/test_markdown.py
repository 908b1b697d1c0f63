from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from dap_ai.commands.display.markdown_blocks import Blocks

TEXT = """# Title
Some text
in two lines.

```python
# no heading

x = 1
```
After.

- one

  more of one
- two

  ```
  code in two

  ```

1. first

2. second

## Recommendation

Last"""

BLOCKS = [
    "# Title",
    "Some text\nin two lines.",
    "```python\n# no heading\n\nx = 1\n```",
    "After.",
    "- one\n\n  more of one\n- two\n\n  ```\n  code in two\n\n  ```\n\n1. first\n\n2. second",
    "## Recommendation",
    "Last",
]


def blocks_of(pieces):
    blocks = Blocks()
    return [block for piece in pieces for block in blocks.feed(piece)] + blocks.end()


def test_a_text_is_cut_where_its_blocks_end():
    assert blocks_of([TEXT]) == BLOCKS


@given(st.lists(st.integers(1, len(TEXT) - 1)))
def test_the_cuts_of_the_stream_make_no_difference(cuts):
    edges = [0, *sorted(cuts), len(TEXT)]
    assert blocks_of([TEXT[a:b] for a, b in itertools.pairwise(edges)]) == BLOCKS


def test_a_paragraph_is_given_as_soon_as_it_has_ended():
    blocks = Blocks()
    assert blocks.feed("One.") == []
    assert blocks.feed("\n\n") == ["One."]


def test_a_heading_needs_no_empty_line():
    assert Blocks().feed("## Why\n") == ["## Why"]


def test_an_open_fence_is_given_at_the_end():
    assert blocks_of(["```\nx = 1\n\ny"]) == ["```\nx = 1\n\ny"]


def test_a_shorter_fence_does_not_close_a_longer_one():
    assert blocks_of(["````\n```\nx\n````\ny"]) == ["````\n```\nx\n````", "y"]


@given(st.text(alphabet="a#-`~ 1.\n"))
def test_no_character_but_empty_lines_is_lost(text):
    kept = "".join(line for block in blocks_of([text]) for line in block.split("\n") if line.strip())
    assert kept == "".join(line for line in text.split("\n") if line.strip())


def test_an_empty_text_has_no_blocks():
    assert blocks_of(["", "\n\n", ""]) == []
