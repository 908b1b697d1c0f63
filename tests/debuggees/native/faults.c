/* Fails in the way that its first argument names. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};

static int zero = 0;
static int numbers[1000];

static int depth(int n) {
    if (n == 0) {
        int *nothing = NULL;
        return *nothing; /* @bp deep */
    }
    return depth(n - 1) + 1;
}

static int odd(int n);
static int even(int n) { return n == 0 ? depth(0) : odd(n - 1) + 1; }
static int odd(int n) { return n == 0 ? depth(0) : even(n - 1) + 1; }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    struct node one = {1, NULL};
    char greeting[] = "hello, world";
    for (int i = 0; i < 1000; i++)
        numbers[i] = 3 * i;
    if (!strcmp(what, "read"))
        return one.next->value; /* @bp read */
    if (!strcmp(what, "member"))
        return one.next->next == &one; /* @bp member */
    if (!strcmp(what, "write"))
        one.next->value = 7; /* @bp write */
    if (!strcmp(what, "garbage"))
        return ((struct node *)0x4141414142424242)->value; /* @bp garbage */
    if (!strcmp(what, "execute"))
        ((void (*)(void))one.next)(); /* @bp execute */
    if (!strcmp(what, "divide"))
        return argc / zero; /* @bp divide */
    if (!strcmp(what, "abort"))
        abort(); /* @bp abort */
    if (!strcmp(what, "illegal"))
        __builtin_trap(); /* @bp illegal */
    if (!strcmp(what, "deep"))
        return depth(1999);
    if (!strcmp(what, "mutual"))
        return odd(301);
    printf("%s\n", greeting);
    return 0;
}
