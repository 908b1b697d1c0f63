/* Prints argv[1] lines (default 10), then stops at a marked line. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long lines = argc > 1 ? atol(argv[1]) : 10;
    long sum = 0;
    for (long line = 0; line < lines; line++) {
        sum += line; /* @bp loop */
        printf("line %ld of the loop\n", line);
    }
    fflush(stdout);
    return sum < 0; /* @bp end */
}
