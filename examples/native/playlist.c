/* Takes every track that is too long out of a playlist. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct track {
    struct track *next;
    int seconds;
    char title[20];
};

static struct track *add(struct track *first, const char *title, int seconds) {
    struct track *track = malloc(sizeof *track);
    track->next = first;
    track->seconds = seconds;
    snprintf(track->title, sizeof track->title, "%s", title);
    return track;
}

static struct track *drop_long(struct track *first, int limit) {
    struct track **link = &first;
    for (struct track *track = first; track != NULL; track = track->next) {
        if (track->seconds > limit) {
            *link = track->next;
            free(track);
        } else {
            link = &track->next;
        }
    }
    return first;
}

int main(void) {
    struct track *playlist = NULL;
    playlist = add(playlist, "Evening raga", 1310);
    playlist = add(playlist, "Rain", 184);
    playlist = add(playlist, "The long road", 905);
    playlist = add(playlist, "Coda", 61);
    playlist = drop_long(playlist, 600);
    for (struct track *track = playlist; track != NULL; track = track->next)
        printf("%s (%d s)\n", track->title, track->seconds);
    return 0;
}
