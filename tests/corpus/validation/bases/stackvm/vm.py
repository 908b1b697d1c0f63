"""The stack machine."""


class Fault(Exception):
    pass


class Machine:
    def __init__(self, code, limit=10_000):
        self.code = code
        self.limit = limit
        self.stack = []
        self.calls = []
        self.names = {}
        self.printed = []
        self.counter = 0
        self.steps = 0

    def pop(self):
        if not self.stack:
            raise Fault(f"empty stack at {self.counter - 1}")
        return self.stack.pop()

    def run(self):
        while self.counter < len(self.code):
            if self.steps >= self.limit:
                raise Fault("too many steps")
            self.steps += 1
            operation, operand = self.code[self.counter]
            self.counter += 1
            if operation == "halt":
                break
            if operation in self.BINARY:
                second = self.pop()
                first = self.pop()
                self.stack.append(self.BINARY[operation](first, second))
            else:
                getattr(self, "do_" + operation)(operand)
        return self.printed

    BINARY = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "mod": lambda a, b: a % b,
        "less": lambda a, b: int(a < b),
    }

    def do_push(self, operand):
        self.stack.append(operand)

    def do_load(self, operand):
        self.stack.append(self.names[operand])

    def do_store(self, operand):
        self.names[operand] = self.pop()

    def do_jump(self, operand):
        self.counter = operand

    def do_jumpz(self, operand):
        if self.pop() == 0:
            self.counter = operand

    def do_call(self, operand):
        self.calls.append(self.counter)
        self.counter = operand

    def do_ret(self, operand):
        self.counter = self.calls.pop()

    def do_dup(self, operand):
        value = self.pop()
        self.stack += [value, value]

    def do_swap(self, operand):
        second = self.pop()
        first = self.pop()
        self.stack += [second, first]

    def do_print(self, operand):
        self.printed.append(self.pop())
