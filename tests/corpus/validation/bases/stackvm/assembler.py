"""Programs of the stack machine, from text to instructions."""

OPERATIONS = {
    "push": 1,
    "load": 1,
    "store": 1,
    "jump": 1,
    "jumpz": 1,
    "call": 1,
    "ret": 0,
    "add": 0,
    "sub": 0,
    "mul": 0,
    "mod": 0,
    "less": 0,
    "dup": 0,
    "swap": 0,
    "print": 0,
    "halt": 0,
}
JUMPS = ("jump", "jumpz", "call")


class AssemblyError(Exception):
    pass


def stripped(text):
    for line in text.splitlines():
        line = line.partition(";")[0].strip()
        if line:
            yield line


def assembled(text):
    code = []
    labels = {}
    for line in stripped(text):
        if line.endswith(":"):
            name = line[:-1]
            if name in labels:
                raise AssemblyError(f"{name} twice")
            labels[name] = len(code)
            continue
        operation, *operands = line.split()
        if OPERATIONS.get(operation) != len(operands):
            raise AssemblyError(f"bad instruction: {line}")
        code.append((operation, operands[0] if operands else None))
    return [resolved(instruction, labels) for instruction in code]


def resolved(instruction, labels):
    operation, operand = instruction
    if operation in JUMPS:
        if operand not in labels:
            raise AssemblyError(f"no label {operand}")
        return operation, labels[operand]
    if operation == "push":
        return operation, int(operand)
    return instruction
