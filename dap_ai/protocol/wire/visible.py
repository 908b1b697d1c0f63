r"""Escapes characters in text of a program, file or model that would control the screen or stay invisible.

A terminal obeys escape sequences (for its clipboard, title, links). Any screen obeys the characters that change the
direction of writing, and zero-width characters are invisible. Each of these characters becomes its Python escape:
`\x1b`, `\u202e`, `\U000e0041`. Line ends and tabs stay. So do the following characters, where real text needs them:

1. the joiners U+200C and U+200D between letters of scripts that join them (Persian, Hindi, Sinhala, ...), and U+200D
   between emoji;
2. U+FE0E and U+FE0F once, after a character with two forms (an emoji, a sign, a digit); other variation selectors once,
   after a CJK ideograph or a Mongolian letter;
3. tag characters in the three flags that are made of them.

Escaping a text twice gives the same result as escaping it once. Part of a line is escaped alone as it is within the
line.
"""

from __future__ import annotations

import re
from typing import Any, overload

from dap_ai.protocol.wire.safe import Safe

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls; ESC and CSI among them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of writing
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # these three lines: zero width
    "\u2028\u2029\ud800-\udfff"  # line ends other than `\n`; lone surrogates, which no file accepts
)
_JOINING = (
    "\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1800-\u180a\u1820-\u18af\u1b00-\u1bff"
    "\ua840-\ua8df\ua980-\ua9df\uaa00-\uaa7f\uaae0-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U000114ff"
)
"""Letters and signs of the scripts in which a joiner changes how a word is written: Arabic to Malayalam, and more."""
_VIRAMA = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u103a\u17d2\ua8c4\ua9c0\U00011046\U00011133\U000111c0"
)
_EMOJI = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in land) + "\U000e007f"
    for land in ("gbeng", "gbsct", "gbwls")
)
_BEFORE_JOINER = f"(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))"
_MET = re.compile(
    f"(?P<stays>{_FLAGS}"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_VIRAMA}])[\u200c\u200d](?![{_HIDDEN}])"
    f"|{_BEFORE_JOINER}\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_EMOJI}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    f"|(?<=[\u1820-\u18aa])[\u180b-\u180f])"
    f"|[{_HIDDEN}]"
)
_HIDDEN_AT_ALL = re.compile(f"[{_HIDDEN}]")


@overload
def visible(text: Safe) -> Safe: ...
@overload
def visible(text: str) -> str: ...
def visible(text: str) -> str:
    r"""Return the text with invisible characters escaped, as the module's docstring describes; `\r\n` becomes `\n`."""
    if _HIDDEN_AT_ALL.search(text) is None:
        return text
    return _MET.sub(_escaped, text.replace("\r\n", "\n"))


def hidden_in(text: str) -> list[str]:
    """Return the characters of the text that `visible` escapes, in order."""
    return [met[0] for met in _MET.finditer(text.replace("\r\n", "\n")) if not met["stays"]]


def on_one_line(text: str) -> str:
    """Return the text on one line, escaping everything except visible letters, signs and spaces.

    This function is for text that a user must decide on. It escapes even characters that `visible` leaves in real text.
    """
    text = _HIDDEN_AT_ALL.sub(_as_python, text)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def all_visible(value: Any) -> Any:
    """Apply `visible` to each text in a JSON value, including field names."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list | tuple):
        return [all_visible(each) for each in value]  # pyright: ignore[reportUnknownVariableType]  JSON
    if isinstance(value, dict):
        return {visible(str(name)): all_visible(each) for name, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  JSON
    return value


@overload
def in_json(text: Safe) -> Safe: ...
@overload
def in_json(text: str) -> str: ...
def in_json(text: str) -> str:
    """Escape invisible characters in JSON text in JSON's own way.

    The value stays the same, and is safe to show on a screen.
    """
    return text if _HIDDEN_AT_ALL.search(text) is None else _MET.sub(_as_json, text)


def _escaped(met: re.Match[str]) -> str:
    return met[0] if met["stays"] else _as_python(met)


def _as_python(met: re.Match[str]) -> str:
    return met[0].encode("unicode_escape").decode()


def _as_json(met: re.Match[str]) -> str:
    if met["stays"]:
        return met[0]
    units = met[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


_CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*(?:[@-~]|\Z)")
"""Matches a terminal's control sequence (CSI in ECMA-48), even one that is cut off at the end of the text."""


def without_colours(text: str) -> str:
    """Return the text without a terminal's control sequences, from ESC `[` to the final byte."""
    return _CONTROL_SEQUENCE.sub("", text) if "\x1b" in text else text
