/* Three threads that wait for each other for ever; the main thread comes to a marked line. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready;

static void *worker(void *number) {
    long own = (long)number;
    pthread_barrier_wait(&ready);
    pthread_mutex_lock(&door);
    return (void *)own;
}

int main(void) {
    pthread_t threads[3];
    pthread_mutex_lock(&door);
    pthread_barrier_init(&ready, NULL, 4);
    for (long number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, worker, (void *)number);
    pthread_barrier_wait(&ready);
    puts("all are started"); /* @bp started */
    pthread_mutex_unlock(&door);
    for (int number = 0; number < 3; number++)
        sleep(60);
    return 0;
}
