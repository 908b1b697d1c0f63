/* Books the month's transfers between the accounts of a small club. */
#include <stdio.h>
#include <string.h>

struct account {
    const char *owner;
    long cents;
    struct account *next;
};

static struct account *find_account(struct account *first, const char *owner) {
    for (struct account *account = first; account != NULL; account = account->next)
        if (strcmp(account->owner, owner) == 0)
            return account;
    return NULL;
}

static void transfer(struct account *first, const char *from, const char *to, long cents) {
    struct account *payer = find_account(first, from);
    struct account *payee = find_account(first, to);
    payer->cents -= cents;
    payee->cents += cents;
}

int main(void) {
    struct account treasurer = {"Nadia", 125000, NULL};
    struct account caterer = {"Ömer", 4200, &treasurer};
    struct account hall = {"Town hall", 0, &caterer};
    transfer(&hall, "Nadia", "Town hall", 30000);
    transfer(&hall, "Nadia", "Omer", 8800);
    printf("the treasurer has %.2f left\n", treasurer.cents / 100.0);
    return 0;
}
