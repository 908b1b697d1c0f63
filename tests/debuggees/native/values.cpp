// Values of all kinds at one line, and containers too large to be listed.
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct Node {
    int id;
    Node *next;
};

struct Base {
    int kind;
};

struct Order : Base {
    int id;
    double total;
    const char *customer;
    Node *first;
    int items[4];
    std::string note;
};

enum class Mode { Off, On };

static int show(Order *order, Order &same, const std::vector<int> &many) {
    Node last{2, nullptr}, first{1, &last};
    Node *none = nullptr, *wild = reinterpret_cast<Node *>(0x10);
    int *number = &order->items[1];
    void *anything = &first;
    int row[3] = {1, 2, 3};
    int grid[2][2] = {{1, 2}, {3, 4}};
    char buffer[16] = "abc";
    std::int8_t small = -1;
    std::uint8_t byte = 200;
    Mode mode = Mode::On;
    std::string text = "some text";
    std::vector<Node> nodes{first, last};
    std::vector<int> empty;
    std::deque<int> queue{1, 2};
    std::list<int> chain{3, 4};
    std::set<int> numbers{5, 6};
    std::map<std::string, int> stock{{"apple", 1}, {"pear", 2}};
    std::unordered_map<int, int> lookup{{7, 70}};
    std::optional<int> some = 5, nothing;
    std::unique_ptr<Node> owner = std::make_unique<Node>(last);
    std::unique_ptr<Node> nobody;
    std::shared_ptr<Node> shared = std::make_shared<Node>(last);
    std::vector<int> *behind = &empty;
    static int huge[100000];
    int (*function)(Order *, Order &, const std::vector<int> &) = show;
    huge[0] = 4 + int(many.size()) + same.id + (function == nullptr) + (none == wild) + *number + row[0] + grid[0][0];
    none->id = huge[0]; // @bp crash
    return buffer[0] + small + byte + int(mode) + queue[0] + behind->size() + (anything == nullptr);
}

int main() {
    Order order{};
    Node node{7, nullptr};
    order.kind = 1;
    order.id = 4;
    order.total = 9.5;
    order.customer = "Ann";
    order.first = &node;
    order.items[1] = 12;
    order.note = "fragile";
    std::vector<int> many(10000, 1);
    return show(&order, order, many);
}
