/* Counts how many of a class got each mark from 1 to 6. */
#include <stdio.h>

#define MARKS 6

static void count(const int *marks, int students, int *histogram) {
    for (int mark = 0; mark <= MARKS; mark++)
        histogram[mark] = 0;
    for (int student = 0; student < students; student++)
        histogram[marks[student] - 1]++;
}

int main(void) {
    int marks[] = {2, 1, 3, 3, 6, 2, 4, 2, 5, 1, 3};
    int histogram[MARKS];
    count(marks, (int)(sizeof marks / sizeof marks[0]), histogram);
    for (int mark = 1; mark <= MARKS; mark++)
        printf("mark %d: %d\n", mark, histogram[mark - 1]);
    return 0;
}
