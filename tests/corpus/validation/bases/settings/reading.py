"""Settings from text: sections, keys, lists and nested keys."""


class SettingsError(Exception):
    pass


def converted(text):
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [converted(part) for part in inner.split(",")] if inner else []
    if text in ("yes", "true", "on"):
        return True
    if text in ("no", "false", "off"):
        return False
    if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def without_comment(line):
    quote = None
    for index, char in enumerate(line):
        if quote:
            if char == quote:
                quote = None
        elif char in "\"'":
            quote = char
        elif char == "#":
            return line[:index]
    return line


def put(settings, path, value):
    place = settings
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = value


def parsed(text):
    settings = {}
    section = []
    for number, line in enumerate(text.splitlines(), 1):
        line = without_comment(line).strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]") and "=" not in line:
            section = line[1:-1].split(".")
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise SettingsError(f"line {number}: no =")
        put(settings, section + key.strip().split("."), converted(value))
    return settings
