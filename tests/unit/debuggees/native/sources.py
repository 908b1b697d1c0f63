"""Programs that nobody runs, for what parses them."""

from __future__ import annotations

C = r"""#include <stdio.h>
#include <stdlib.h>
#define MAX 16

struct node {
    struct node *next;
    int items[MAX];
    int count;
    int (*check)(int);
};

static int limit = MAX - 1;

struct node *make(int count, const char *name) {
    struct node *fresh = malloc(sizeof *fresh), *spare;
    fresh->count = count;
    fresh->next = NULL;
    return fresh;
}

int total(struct node *head, int (*check)(int value)) {
    int sum = 0, i, first[3] = {1, 2, 3};
    for (i = 0; i < head->count; i++)
        sum += head->next->items[i] * (unsigned char)first[i % 3];
    while (*name++)
        ;
    if (check(sum) && head->check(1))
        sum = head->next ? head->next->count : -1;
    else if (sum > limit)
        goto end;
    scanf("%d %d", &sum, &head->count);
    memset(first, 0, sizeof first);
    free(head->next);
    head = realloc(head, 100 * sizeof(int));
end:
    return sum /
           head->items[head->count - 1];
}
"""

CPP = r"""struct Stack { int n; void push(int x) { items[n++] = x; } Stack(int k) : n(k), m{1} {} };
template <class T> int ns::Stack<T>::pop(const char *name, int (&a)[3], int k = 3) {
    auto [b, c] = pair;
    int x, *p = nullptr, v[3] = {1, k};
    for (auto &y : items) f([&](int q) { return q->z; });
    if (int z = f(); z > 1) delete p;
    std::sort(v.begin(), v.end(), [](int a, int b) {
        return a < b->c;
    });
    while (auto w = next()) {
        *p++ = w->a->b[ i ].c;
    }
    for (int i = 0;
         i < n && !p;
         i++) sum += v[i];
    switch (x) {
    case 3: return p->x;
    default:
        (*this).x = static_cast<long>(k);
    }
    do {
        x--;
    } while (x > (unsigned char)k);
    scanf("%d", &x); free(p->next); q = std::move(p); this->n = 3;
    Widget u(name); std::vector<int> vv(3);
    return printf("%d %s", a, /* no */ b ? c : d),
           3;
}
"""

RUST = r"""impl<T> Stack<T> {
    fn push(&mut self, x: T, (a, b): (i32, i32)) -> i32 {
        let v = self.items[3];
        if let Some(y) = v && y { return 3; }
        x += 1;
        *p = a as u64;
        match v.kind {
            Some(z) if z > 1 => z.unwrap(),
            Kind::A { q, r: s } => {
                println!("{} {x}", a.b, v[0].len());
            }
            None => 3,
        };
        for (i, x) in v.iter().enumerate() { sum += x.total; }
        while let Some(x) = s.pop() {}
        let c = v.iter().map(|q| q.price + 1)
            .sum::<i32>();
        let y = if a { b } else { c };
        let w = match y {
            1 => 2,
            _ => *p,
        };
        (a, b) = (b, a);
        assert_eq!(v.len(), self.n, "{}", w);
        drop(v); read(&mut a); let z;
        unsafe { *p = 3 };
        v[i + 1].0
    }
}
"""

SOURCES = {"c": C, "cpp": CPP, "rust": RUST}
