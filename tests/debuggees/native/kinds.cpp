#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

struct Point { int x, y; };
typedef Point *Place;
typedef char Label[16];
enum class Level : unsigned char { Low = 1, High = 7 };
struct Bits { unsigned a : 3; int b : 4; bool c : 1; };
struct Hollow {};
struct Hidden;
union Cell { int whole; unsigned char bytes[4]; };

static int twice(int n) { return 2 * n; }

static int looked_at(const char (&word)[6], const std::string &name, Place &moving, std::unique_ptr<Point> &owner) {
    return (int)name.size() + word[0] + moving->x + owner->y; /* @bp references */
}

int main() {
    char line[80];
    for (int i = 0; i < 80; i++) line[i] = (char)(i % 32 + 1);
    char split[8] = {'a', 0, '1', '2', 0};
    char blank[80] = {0};
    char rule[80];
    memset(rule, '-', 79);
    rule[79] = 0;
    Label label = "tag";
    char table[2][8] = {"ab", "cd"};
    std::string told = "with 126 apples";
    std::string accents = "caf\xc3\xa9";
    std::string quoted = "say \"hi\"";
    std::string large(300, 'q');
    std::array<int, 3> fixed{7, 8, 9};
    std::stack<int> stack;
    stack.push(1);
    stack.push(2);
    std::queue<int> queue;
    queue.push(3);
    std::pair<int, std::string> pair{1, "one"};
    std::vector<std::pair<std::string, int>> pairs{{"k", 1}};
    std::vector<int> row{1, 2, 3};
    std::vector<int>::iterator second = row.begin() + 1;
    std::map<int, std::vector<int>> grid{{1, {1, 2}}};
    std::unordered_set<int> ids{4};
    std::unique_ptr<Point> owner = std::make_unique<Point>(Point{8, 9});
    std::unique_ptr<std::string> text = std::make_unique<std::string>("owned");
    std::unique_ptr<int> nothing;
    std::optional<std::string> maybe = "text";
    std::optional<int> never;
    Point point{1, 2};
    Place place = &point;
    Place nowhere = nullptr;
    int triple[3] = {1, 2, 3};
    int (*behind)[3] = &triple;
    int (*call)(int) = twice;
    int (*no_call)(int) = nullptr;
    char32_t euro = U'\u20ac';
    Level level = Level::High;
    Bits bits{5, -3, true};
    Cell cell;
    cell.whole = 0x41424344;
    unsigned char unsigned_byte = 200;
    Hollow nothing_in_it;
    Hollow &hollow = nothing_in_it;
    const Hollow &lost = *(Hollow *)nullptr;
    Hidden &opaque = *(Hidden *)&cell;
    auto doubled = [](int n) { return 2 * n; };
    auto &lambda = doubled;
    std::unique_ptr<Hollow> made = std::make_unique<Hollow>();
    std::unique_ptr<Hollow> &hollow_owner = made;
    std::printf("%d %d\n", looked_at("fixed", "name", place, owner), call(*second)); /* @bp kinds */
    return 0;
}
