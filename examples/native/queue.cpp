// A print queue: which job is printed last?
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

    void print_all() {
        while (!jobs.empty()) {
            printed += jobs.front().pages;
            jobs.erase(jobs.begin());
        }
    }

    const Job &last() const { return jobs[jobs.size() - 1]; }

    int printed = 0;

private:
    std::vector<Job> jobs;
};

int main() {
    Queue queue;
    queue.add("Ines", 4);
    queue.add("Tomasz", 31);
    std::cout << "last: " << queue.last().owner << "\n";
    queue.print_all();
    std::cout << queue.printed << " pages printed\n";
    std::cout << "last: " << queue.last().owner << "\n";
}
