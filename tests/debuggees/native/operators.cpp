// Classes whose operators give 42 where a member of the same name holds 1. See tests/safety/test_native_operators.py.
#include <memory>
#include <optional>
#include <vector>

struct Item {
    int value;
};

Item answer{42};
int answers[3] = {42, 42, 42};

struct Handle {
    int value = 1;
    int items[3] = {1, 1, 1};
    Item *operator->() { return &answer; }
    Item &operator*() { return answer; }
    int operator[](int) { return 42; }
    operator int() { return 42; }
    Handle *operator&() { return reinterpret_cast<Handle *>(42); }
    int operator,(int) { return 42; }
    bool operator!() { return true; }
};

struct Derived : Handle {
    int own = 1;
};

struct Owner : std::unique_ptr<Item> {
    int value = 1;
    Item *operator->() { return &answer; }
    Item &operator*() { return answer; }
};

struct Numbers : std::vector<int> {
    int operator[](int) { return 42; }
};

template <class T> struct Pointer {
    int value = 1;
    T *held = nullptr;
    T *operator->() { return &answer; }
    T &operator*() { return answer; }
    int operator[](int) { return 42; }
};

namespace mystd {
template <class T> struct shared_ptr : Pointer<T> {};
template <class T> struct vector {
    int items[3] = {1, 1, 1};
    int operator[](int) { return 42; }
};
}
namespace std::mine {
template <class T> struct unique_ptr : Pointer<T> {};
template <class T> struct vector : mystd::vector<T> {};
}
namespace alloc::rc {
template <class T> struct Rc : Pointer<T> {};
}
namespace core {
template <class T> struct Arc : Pointer<T> {};
template <class T> struct Vec : mystd::vector<T> {};
}

typedef Handle Alias;
typedef Pointer<Item> Short;

int main() {
    Item item{7};
    Item items[2] = {{7}, {8}};
    Item *plain = std::addressof(item);
    Item **twice = &plain;
    Handle handle;
    const Derived derived;
    Handle &reference = handle;
    Alias alias;
    Handle *to = std::addressof(handle);
    Handle handles[2];
    Owner owner;
    owner.reset(new Item{1});
    Numbers numbers;
    numbers.push_back(1);
    Short pointer;
    mystd::shared_ptr<Item> mine;
    mystd::vector<int> row;
    std::mine::unique_ptr<Item> unique;
    std::mine::vector<int> line;
    alloc::rc::Rc<Item> counted;
    core::Arc<Item> shared;
    core::Vec<int> list;
    std::vector<Handle> several(2);
    std::unique_ptr<Handle> held(new Handle);
    std::unique_ptr<Item> owned(new Item{7});
    std::shared_ptr<Item> kept(new Item{7});
    std::optional<Item> some = Item{7};
    std::optional<Handle> inside = Handle{};
    int result = handle->value + (*handle).value + handle[0] + handle + (handle, 1) + !handle;
    result += pointer->value + pointer[0] + mine->value + unique->value + counted->value + shared->value + owner->value;
    result += row[0] + line[0] + list[0] + numbers[0] + alias->value + reference->value + some->value + inside->value;
    return result + (&handle != nullptr) + held->value + owned->value + kept->value + items->value; // @bp stop
}
