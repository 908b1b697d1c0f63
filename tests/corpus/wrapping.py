"""Wraps a paragraph to a width, as a terminal would show it."""

PARAGRAPH = """
The ferry leaves the old harbour at seven every morning but Sunday and calls
at four of the islands before it turns back with mail, milk and commuters.
"""


def words_of(text):
    return text.split()


def wrap(words, width):
    """Lines of at most `width` characters."""
    lines = []
    line = []
    used = 0
    for word in words:
        needed = len(word) + (1 if line else 0)
        if used + needed > width:
            lines.append(" ".join(line))
            line = [word]
            used = len(word)
        else:
            line.append(word)
            used += needed
    return lines


def justify(line, width):
    """Spreads blanks so that the line fills its width."""
    words = line.split()
    if len(words) == 1:
        return line
    gaps = len(words) - 1
    blanks = width - sum(len(word) for word in words)
    each, more = divmod(blanks, gaps)
    text = words[0]
    for index, word in enumerate(words[1:]):
        text += " " * (each + (1 if index < more else 0)) + word
    return text


def render(text, width):
    lines = wrap(words_of(text), width)
    shown = [justify(line, width) for line in lines[:-1]]
    return shown + lines[-1:]


def main():
    lines = render(PARAGRAPH, width=32)
    for line in lines:
        print(f"|{line:<32}|")
    shown = sum(len(line.split()) for line in lines)
    expected = len(words_of(PARAGRAPH))
    assert shown == expected, f"{expected - shown} words are missing"


if __name__ == "__main__":
    main()
