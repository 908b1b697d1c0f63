from assembler import AssemblyError, assembled
from programs import COUNTDOWN, GREATEST_DIVISOR, SUM_BELOW, SWAPPED
from vm import Fault, Machine


def output(text):
    return Machine(assembled(text)).run()


def message(text):
    try:
        output(text)
    except (AssemblyError, Fault) as error:
        return str(error)
    return ""


code = assembled(COUNTDOWN)
assert len(code) == 12
assert code[0] == ("push", 3)
assert code[3] == ("jumpz", 11)
assert code[10] == ("jump", 2)

assert output(COUNTDOWN) == [3, 2, 1]
assert output(GREATEST_DIVISOR) == [0, 12]
assert output(SUM_BELOW) == [45]
assert output(SWAPPED) == [-5]

machine = Machine(assembled(SUM_BELOW))
machine.run()
assert machine.names == {"sum": 45, "i": 10}
assert machine.stack == []
assert machine.steps == 140

assert message("push") == "bad instruction: push"
assert message("jump away") == "no label away"
assert message("a:\na:") == "a twice"
assert message("push 1\nadd") == "empty stack at 1"
assert message("here:\njump here") == "too many steps"
assert message("push 1 ; ok") == ""
