# The source of trapping.py's machine code: what happens in a copy when a system call meets a lock.
#
#     as trapping.s -o trapping.o; objcopy -O binary -j .text trapping.o trapping.bin
#
# A signal handler: RSI is a siginfo_t, RDX a ucontext_t. It saves no register that the kernel does not restore.

.intel_syntax noprefix

.set ERROR, 4                   # siginfo_t: si_errno, the bits that the filter gives
.set NUMBER, 0x18               # siginfo_t: si_syscall
.set FIRST, 0x68                # ucontext_t: the arguments, and RAX
.set SECOND, 0x70
.set THIRD, 0x88
.set FOURTH, 0x38
.set FIFTH, 0x28
.set SIXTH, 0x30
.set RESULT, 0x90

.set OF_FIRST, 0x200            # as in trapping.py
.set OF_SECOND, 0x400
.set MAY_READ, 0x800
.set MAY_WRITE, 0x1000
.set MOST_RECORDS, 30
.set MOST_PATH, 222

.set FACCESSAT2, 439
.set RT_SIGRETURN, 15
.set AT_FDCWD, -100
.set AT_EACCESS, 0x200
.set R_OK, 4
.set W_OK, 2
.set O_CREAT, 0x40
.set EPERM, 1
.set ENOENT, 2
.set EACCES, 13
.set EFAULT, 14
.set ENOSYS, 38

handler:
    push rbx
    push rbp
    push r12
    mov rbx, rdx                # the context
    mov ebp, [rsi + ERROR]      # the bits
    mov r12d, [rsi + NUMBER]

    mov eax, r12d               # the very call again, which meets the plain filter
    mov rdi, [rbx + FIRST]
    mov rsi, [rbx + SECOND]
    mov rdx, [rbx + THIRD]
    mov r10, [rbx + FOURTH]
    mov r8, [rbx + FIFTH]
    mov r9, [rbx + SIXTH]
    call again
    mov [rbx + RESULT], rax
    movzx ecx, bpl              # the errno of a refusal
    add rcx, rax
    jne done                    # another result: the call was not refused
    test ebp, MAY_READ | MAY_WRITE
    je record

    mov rdi, AT_FDCWD           # would the process itself be allowed to?
    mov rsi, [rbx + FIRST]
    test ebp, OF_SECOND
    cmovne rdi, rsi
    cmovne rsi, [rbx + SECOND]
    mov edx, R_OK
    test ebp, MAY_WRITE
    je asked
    mov edx, W_OK
asked:
    mov r10d, AT_EACCESS
    mov eax, FACCESSAT2
    call again
    test ebp, MAY_WRITE
    jne written
    cmp rax, -EACCES
    je done                     # its own refusal
    jmp record
written:
    test rax, rax
    je record
    cmp rax, -ENOSYS            # not known: as a refusal of the copy
    je record
    cmp rax, -EPERM
    je record
    cmp rax, -ENOENT
    jne own
    mov rcx, [rbx + SECOND]     # the flags of `open`, or of `openat`
    test ebp, OF_SECOND
    cmovne rcx, [rbx + THIRD]
    test ecx, O_CREAT
    jne record
own:
    mov [rbx + RESULT], rax     # what the process itself would have been told
    jmp done

record:
    mov r8, [rip + records]
    mov rax, [r8]               # the count
    inc QWORD PTR [r8]
    cmp rax, MOST_RECORDS
    jae done
    shl rax, 8                  # a record has 256 bytes
    lea rdi, [r8 + rax + 64]
    mov [rdi], r12d
    mov [rdi + 4], ebp
    mov rax, [rbx + FIRST]
    mov [rdi + 8], rax
    mov rcx, [rbx + SECOND]
    mov [rdi + 16], rcx
    mov rdx, [rbx + THIRD]
    mov [rdi + 24], rdx
    mov BYTE PTR [rdi + 32], 0
    mov rsi, rax
    test ebp, OF_FIRST
    jne path
    mov rsi, rcx
    test ebp, OF_SECOND
    je done
path:
    mov rbx, rdi                # the context is needed no more
    mov rdi, AT_FDCWD           # is there a text at this address? The kernel looks without a fault
    xor edx, edx
    xor r10d, r10d
    mov eax, FACCESSAT2
    call again
    mov rdi, rbx
    cmp rax, -EFAULT
    je done
    xor ecx, ecx
copied:
    mov al, [rsi + rcx]
    mov [rdi + rcx + 32], al
    test al, al
    je done
    inc ecx
    cmp ecx, MOST_PATH
    jb copied
    mov BYTE PTR [rdi + rcx + 32], 0
done:
    pop r12
    pop rbp
    pop rbx
    ret

again:                          # what follows this `syscall` is where the filter knows a call of the handler's
    syscall
    ret
restorer:
    mov eax, RT_SIGRETURN
    syscall
records:                        # the address of the records follows
