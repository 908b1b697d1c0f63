// Two print queues: how many pages has the job that is printed last?
#include <iostream>
#include <string>
#include <vector>

struct Job {
    std::string owner;
    int pages;
};

class Queue {
public:
    void add(std::string owner, int pages) { jobs.push_back({std::move(owner), pages}); }

    int all_pages() const {
        int pages = 0;
        for (const Job &job : jobs)
            pages += job.pages;
        return pages;
    }

    int last_pages() const {
        return jobs[jobs.size() - 1].pages;
    }

private:
    std::vector<Job> jobs;
};

int main() {
    Queue letters, posters;
    letters.add("Ines", 4);
    letters.add("Tomasz", 31);
    for (const Queue *queue : {&letters, &posters})
        std::cout << queue->all_pages() << " pages, the last job has " << queue->last_pages() << "\n";
}
