/* Sells the seats of a small theatre, and checks the books at the end. */
#include <assert.h>
#include <stdio.h>

enum { ROWS = 4, PER_ROW = 5 };

struct theatre {
    int sold[ROWS];
    int money;
};

static int sell(struct theatre *theatre, int row, int seats, int price) {
    int free = PER_ROW - theatre->sold[row];
    if (seats > free)
        seats = free;
    theatre->sold[row] += seats;
    theatre->money += seats * price;
    return seats;
}

static void give_back(struct theatre *theatre, int row, int seats, int price) {
    theatre->sold[row] -= seats;
    theatre->money += seats * price;
}

int main(void) {
    struct theatre theatre = {{0}, 0};
    sell(&theatre, 0, 3, 20);
    sell(&theatre, 1, 7, 20);
    sell(&theatre, 3, 2, 20);
    give_back(&theatre, 0, 1, 20);
    int seats = 0;
    for (int row = 0; row < ROWS; row++)
        seats += theatre.sold[row];
    assert(theatre.money == seats * 20);
    printf("%d seats, %d euros\n", seats, theatre.money);
    return 0;
}
