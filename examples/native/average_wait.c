/* The average wait at each counter of a post office. */
#include <stdio.h>

struct counter {
    const char *name;
    int waits[4];
    int customers;
};

static int average(const int *waits, int customers) {
    int total = 0;
    for (int i = 0; i < customers; i++)
        total += waits[i];
    return total / customers;
}

static int slowest(const struct counter *counters, int count) {
    int longest = 0;
    for (int i = 0; i < count; i++) {
        const struct counter *counter = &counters[i];
        int minutes = average(counter->waits, counter->customers);
        printf("%s: %d min\n", counter->name, minutes);
        if (minutes > longest)
            longest = minutes;
    }
    return longest;
}

int main(void) {
    struct counter counters[] = {
        {"letters", {4, 6, 2, 8}, 4},
        {"parcels", {12, 9, 15}, 3},
        {"savings", {0}, 0},
    };
    printf("the slowest: %d min\n", slowest(counters, 3));
    return 0;
}
