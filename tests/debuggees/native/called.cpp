// Functions that debuggers are known to call in a program, and operators of a class: once it is armed, each that runs
// writes its name to the file `called.trace`. See tests/safety/test_native_calls.py.
#include <cstddef>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

static volatile bool armed = false;

static void ran(const char *name) {
    if (!armed)
        return;
    long file = syscall(SYS_openat, AT_FDCWD, "called.trace", O_CREAT | O_WRONLY | O_APPEND, 0600);
    size_t length = 0;
    while (name[length])
        length++;
    syscall(SYS_write, file, name, length);
    syscall(SYS_write, file, "\n", 1);
    syscall(SYS_close, file);
}

#define TRACED(type, name, parameters, result) \
    extern "C" __attribute__((used, visibility("default"))) type name parameters { \
        ran(#name); \
        return result; \
    }

extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void __libc_free(void *);

TRACED(void *, __cxa_current_exception_type, (), nullptr)
TRACED(void *, __cxa_current_primary_exception, (), nullptr)
TRACED(void *, malloc, (size_t size), __libc_malloc(size))
TRACED(void *, calloc, (size_t count, size_t size), __libc_calloc(count, size))
TRACED(void, free, (void *place), __libc_free(place))
TRACED(void *, mmap, (void *place, size_t size, int access, int flags, int file, long from),
       (void *)syscall(SYS_mmap, place, size, access, flags, file, from))
TRACED(int, munmap, (void *place, size_t size), int(syscall(SYS_munmap, place, size)))
TRACED(int, mprotect, (void *place, size_t size, int access), int(syscall(SYS_mprotect, place, size, access)))
TRACED(int, getpid, (), int(syscall(SYS_getpid)))
TRACED(void *, __asan_get_alloc_stack, (), nullptr)
TRACED(void *, __asan_get_free_stack, (), nullptr)
TRACED(int, __asan_report_present, (), 0)
TRACED(void *, __asan_get_report_address, (), nullptr)
TRACED(void, __ubsan_get_current_report_data, (), void())
TRACED(void *, __tsan_get_current_report, (), nullptr)

static int one() { return 1; }
extern "C" int (*choose())() { ran("the resolver of an ifunc"); return one; }
extern "C" int chosen() __attribute__((ifunc("choose")));

struct Handle {
    int value;
    Handle *operator->() { ran("operator->"); return this; }
    Handle &operator*() { ran("operator*"); return *this; }
    Handle *operator&() { ran("operator&"); return this; }
    int operator[](int index) { ran("operator[]"); return index; }
    operator int() { ran("operator int"); return value; }
    virtual ~Handle() {}
};

int main() {
    std::vector<int> numbers{1, 2, 3};
    std::unique_ptr<Handle> held(new Handle{});
    std::string text = "some";
    Handle handle{};
    int *nowhere = nullptr;
    int sum = chosen() + numbers[0] + int(text.size()) + getpid();
    armed = true;
    return *nowhere + sum + handle->value + handle[0] + (*handle).value + handle + held->value;
}
