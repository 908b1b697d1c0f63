/* A value that a user sets while the program stands still: what fails then was not computed so. */
#include <stdio.h>

static int share(int total, int parts) {
    int each = 0;
    each = total / parts; /* @bp divides */
    return each;
}

int main(void) {
    printf("%d\n", share(12, 3));
    return 0;
}
