"""Reads settings with sections, comments and typed values."""

TEXT = """
; of the night job
[job]
name = nightly
retries = 3
verbose = yes

[database]
host = db.internal
port = 5432
options = sslmode=require

[limits]
memory = 512
"""

TRUE, FALSE = {"yes", "true", "on"}, {"no", "false", "off"}


def typed(text):
    if text.lower() in TRUE:
        return True
    if text.lower() in FALSE:
        return False
    if text.isdigit():
        return int(text)
    return text


def parse_line(line):
    name, value = line.split("=")
    return name.strip(), typed(value.strip())


def parse(text):
    sections = {}
    current = None
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith(";"):
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], {})
        else:
            name, value = parse_line(line)
            current[name] = value
    return sections


def describe(sections):
    for section, settings in sections.items():
        print(section)
        for name, value in settings.items():
            print(f"   {name}: {value!r}")


def main():
    describe(parse(TEXT))


if __name__ == "__main__":
    main()
