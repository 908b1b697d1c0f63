/* What is a deposit worth after some years, in cents? */
#include <stdio.h>

static int grow(int cents, int percent, int years) {
    for (int year = 0; year < years; year++)
        cents += cents * percent / 100;
    return cents;
}

int main(void) {
    int deposits[] = {150000, 9000000, 300000000};
    for (int i = 0; i < 3; i++)
        printf("%d cents: %d after ten years\n", deposits[i], grow(deposits[i], 8, 10));
    return 0;
}
