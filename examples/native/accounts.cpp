// Two tellers move money between the same two accounts at once.
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>

struct Account {
    long cents;
    std::mutex lock;
};

static void transfer(Account &from, Account &to, long cents) {
    from.lock.lock();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    to.lock.lock();
    from.cents -= cents;
    to.cents += cents;
    to.lock.unlock();
    from.lock.unlock();
}

int main() {
    Account savings{100000, {}};
    Account rent{20000, {}};
    std::thread first(transfer, std::ref(savings), std::ref(rent), 5000);
    std::thread second(transfer, std::ref(rent), std::ref(savings), 700);
    first.join();
    second.join();
    std::cout << savings.cents << " " << rent.cents << "\n";
}
