/* How deep is each department of a company in its chart? */
#include <stdio.h>

struct department {
    const char *name;
    struct department *parent;
};

static int depth(const struct department *department) {
    if (department->parent == NULL)
        return 0;
    return 1 + depth(department->parent);
}

int main(void) {
    struct department board = {"board", NULL};
    struct department sales = {"sales", &board};
    struct department export = {"export", &sales};
    struct department asia = {"Asia", &export};
    sales.parent = &asia;
    struct department *all[] = {&board, &sales, &export, &asia};
    for (int i = 0; i < 4; i++)
        printf("%s: %d\n", all[i]->name, depth(all[i]));
    return 0;
}
