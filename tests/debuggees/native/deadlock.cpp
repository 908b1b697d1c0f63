// As deadlock.c, with std::mutex.
#include <chrono>
#include <cstdlib>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex left, right, gate;
static std::condition_variable opened;
static int holding = 0;

static void hold_both(std::mutex &one, std::mutex &other) {
    std::lock_guard<std::mutex> first(one);
    {
        std::unique_lock<std::mutex> waiting(gate);
        ++holding;
        opened.notify_all();
        opened.wait(waiting, [] { return holding == 2; });
    }
    std::lock_guard<std::mutex> second(other);
}

int main() {
    std::thread a(hold_both, std::ref(left), std::ref(right));
    std::thread b(hold_both, std::ref(right), std::ref(left));
    std::thread c([] {
        while (left.native_handle()->__data.__lock != 2 || right.native_handle()->__data.__lock != 2) // somebody waits
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        std::abort();
    });
    a.join();
    return 0;
}
