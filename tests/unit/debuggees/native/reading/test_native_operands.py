from __future__ import annotations

import pytest

from dap_ai.debuggees.native.reading.instruction_operands import access_of, address_of

REGISTERS = {"rax": 0x1000, "rcx": 4, "rdi": 0x20, "rsp": 0x7FF0, "rip": 0x400, "x0": 0x80, "x1": 2, "sp": 0x900}


@pytest.mark.parametrize(
    ("instruction", "access"),
    [
        ("movl (%rax), %eax", "read"),
        ("mov    (%rax),%eax", "read"),
        ("movl $0x7, (%rax)", "write"),
        ("movb   $0x54,(%rax)", "write"),
        ("movl %edi, -0x204(%rbp)", "write"),
        ("cmpl $0x1, 0x8(%rax)", "read"),
        ("addl $0x1, (%rax)", "write"),
        ("incl (%rax)", "write"),
        ("movzbl (%rax), %eax", "read"),
        ("movsd (%rax,%rcx,8), %xmm0", "read"),
        ("vmovdqu64 %zmm16, (%rdi)", "write"),
        ("rep stosq %rax, %es:(%rdi)", "write"),
        ("callq *0x10(%rax)", "read"),
        ("pushq %rbp", "write"),
        ("callq 0x401000", "write"),
        ("retq", "read"),
        ("leaq 0x8(%rax), %rdi", ""),
        ("idivl %ecx", ""),
        ("ud2", ""),
        ("mov dword ptr [rax], 7", "write"),
        ("mov eax, dword ptr [rax + 8]", "read"),
        ("cmp byte ptr [rdi], 0", "read"),
        ("ldr w0, [x0, #8]", "read"),
        ("str w1, [x0]", "write"),
        ("stp x29, x30, [sp, #-16]!", "write"),
        ("", ""),
    ],
)
def test_an_instruction_reads_or_writes_memory(instruction: str, access: str):
    assert access_of(instruction) == access


@pytest.mark.parametrize(
    ("instruction", "address"),
    [
        ("movl (%rax), %eax", 0x1000),
        ("movl 0x8(%rax), %eax", 0x1008),
        ("movl -0x8(%rax), %eax", 0xFF8),
        ("movl 0x10(%rax,%rcx,8), %eax", 0x1030),
        ("movl (,%rcx,4), %eax", 0x10),
        ("movl 0x20(%rip), %eax", 0x426),
        ("movl $0x7, 0x8(%rdi)", 0x28),
        ("pushq %rbp", 0x7FE8),
        ("retq", 0x7FF0),
        ("mov eax, dword ptr [rax + 4*rcx - 0x10]", 0x1000),
        ("mov eax, dword ptr [rax + rcx*4 + 8]", 0x1018),
        ("ldr w0, [x0, #8]", 0x88),
        ("ldr w0, [x0, x1, lsl #2]", 0x88),
        ("str w1, [sp]", 0x900),
        ("movl (%rbx), %eax", None),
        ("movl %fs:0x28, %eax", None),
        ("idivl %ecx", None),
    ],
)
def test_the_address_comes_from_the_operand_and_the_registers(instruction: str, address: int | None):
    assert address_of(instruction, REGISTERS, end=0x406) == address
