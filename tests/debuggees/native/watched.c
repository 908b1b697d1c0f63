/* A global variable and a local one, for data breakpoints. */
#include <stdio.h>

static int limit = 10;

static void shrink(int by) {
    limit = limit - by; /* @bp writes */
}

int main(void) {
    int round = 0;
    for (round = 1; round < 3; round++) { /* @bp loop */
        shrink(4);
    }
    printf("%d\n", limit);
    return 0;
}
