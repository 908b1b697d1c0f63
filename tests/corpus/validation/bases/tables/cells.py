"""Values as the text of a cell."""


def grouped(number):
    digits = str(abs(number))
    parts = []
    while len(digits) > 3:
        parts.append(digits[-3:])
        digits = digits[:-3]
    parts.append(digits)
    text = ",".join(reversed(parts))
    return "-" + text if number < 0 else text


def money(cents):
    whole, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    return f"{sign}{grouped(whole)}.{rest:02d}"


def percent(share, digits=1):
    return f"{share * 100:.{digits}f}%"


def duration(seconds):
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{seconds:02d}"
    return f"{minutes}:{seconds:02d}"


def shortened(text, width):
    if len(text) <= width:
        return text
    return text[: width - 3] + "..."


def wrapped(text, width):
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        lines.append(line)
    return lines


def aligned(text, width, how):
    if how == "right":
        return text.rjust(width)
    if how == "center":
        return text.center(width)
    return text.ljust(width)
