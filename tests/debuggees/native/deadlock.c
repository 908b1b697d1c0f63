/* Two threads lock the same two mutexes in opposite order; a third thread stops the program when both wait. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

static struct account accounts[2] = {{1, PTHREAD_MUTEX_INITIALIZER}, {2, PTHREAD_MUTEX_INITIALIZER}};
static pthread_barrier_t both_hold_one;

static void transfer(struct account *from, struct account *to) {
    pthread_mutex_lock(&from->lock);
    pthread_barrier_wait(&both_hold_one);
    pthread_mutex_lock(&to->lock); /* @bp waits */
    from->balance--;
    to->balance++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *first(void *unused) {
    transfer(&accounts[0], &accounts[1]);
    return unused;
}

static void *second(void *unused) {
    transfer(&accounts[1], &accounts[0]);
    return unused;
}

static void *watch(void *unused) {
    while (accounts[0].lock.__data.__lock != 2 || accounts[1].lock.__data.__lock != 2) /* 2: somebody waits */
        usleep(1000);
    usleep(100000);
    abort();
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&both_hold_one, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, watch, NULL);
    pthread_join(threads[0], NULL); /* @bp joins */
    return 0;
}
