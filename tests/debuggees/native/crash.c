/* Writes through a null pointer three frames deep; before, it prints a line. */
#include <stdio.h>

struct order {
    int count;
    const char *name;
};

static int ship(struct order *order, int boxes) {
    order->count = boxes; /* @bp crash */
    return order->count;
}

static int sell(struct order *order) {
    int boxes = 3;
    return ship(order, boxes); /* @bp sell */
}

int main(void) {
    struct order here = {1, "tea"};
    printf("selling %s\n", here.name); /* @bp main */
    fflush(stdout);
    sell(&here);
    return sell(NULL);
}
