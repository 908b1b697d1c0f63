/* Everything in it that can be called leaves a trace: see tests/safety/native_corpus.py. */
#include <stdio.h>

int counter = 0;
int table[4] = {10, 20, 30, 40};
const char *trace_file = "hostile.trace";

int trace(int value)
{
    FILE *file = fopen(trace_file, "a");
    counter++;
    if (file) {
        fprintf(file, "%d\n", value);
        fclose(file);
    }
    return value;
}

struct Node {
    int id;
    struct Node *next;
};

enum Color { RED, GREEN = 5, BLUE = 9 };

int stop(struct Node *order, int boxes)
{
    struct Node last = {2, NULL}, first = {1, &last};
    struct Node *none = NULL, *wild = (struct Node *)0x10;
    int (*function)(int) = trace;
    int a[5] = {0, 1, 4, 9, 16};
    int *middle = &a[2];
    int x = 41;
    enum Color color = GREEN;
    const char *word = "hello";
    x += a[0] + (order == none) + (function == NULL) + (first.id == 0) + (wild == none) + *middle - 4;
    return x + boxes + (int)color + word[0]; /* @bp stop */
}

int main(int argc, char **argv)
{
    struct Node order = {4, NULL};
    if (argc > 1)
        trace_file = argv[1];
    return stop(&order, 3) == 0;
}
