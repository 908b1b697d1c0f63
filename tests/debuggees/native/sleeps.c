/* Comes to a marked line, then sleeps for a minute, in steps of 0.1 s. */
#include <stdio.h>
#include <unistd.h>

static int nap(int steps) {
    int done = 0;
    while (done < steps) {
        usleep(100000);
        done++;
    }
    return done;
}

int main(void) {
    int values[4] = {2, 3, 5, 7};
    puts("awake"); /* @bp awake */
    fflush(stdout);
    return nap(600) + values[3];
}
