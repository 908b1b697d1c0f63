"""Programs to run."""

COUNTDOWN = """
    push 3
    store n
again:
    load n
    jumpz done      ; until it is zero
    load n
    print
    load n
    push 1
    sub
    store n
    jump again
done:
    halt
"""

GREATEST_DIVISOR = """
    push 84
    push 36
    call divisor
    print
    halt
divisor:
    dup
    jumpz zero
    store b
    store a
    load b
    load a
    load b
    mod
    jump divisor
zero:
    print           ; the zero
    ret
"""

SUM_BELOW = """
    push 0
    store sum
    push 0
    store i
loop:
    load i
    push 10
    less
    jumpz end
    load sum
    load i
    add
    store sum
    load i
    push 1
    add
    store i
    jump loop
end:
    load sum
    print
"""

SWAPPED = """
    push 7
    push 2
    swap
    sub
    print
"""
