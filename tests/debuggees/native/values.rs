//! Rust's values at the line of a panic.
use std::collections::HashMap;

struct Item {
    id: u32,
    name: String,
}

struct Cart {
    items: Vec<Item>,
    total: i64,
}

enum Shape {
    Circle(f64),
    Square { side: i32 },
}

impl Cart {
    fn price(&self, more: usize) -> i64 {
        let prices = vec![1, 2, 3];
        let word = "short";
        let some = Some(5);
        let none: Option<i32> = None;
        let pair = (1, true);
        let slice = &prices[1..];
        let small = 200u8;
        let boxed = Box::new(7);
        let item = &self.items[0];
        let square = Shape::Square { side: 3 };
        let circle = Shape::Circle(2.0);
        let mut stock = HashMap::new();
        stock.insert("apple", 1);
        let many: Vec<u64> = vec![3; 10000];
        let index = more + 7;
        let found = prices[index]; // @bp panic
        let area = match (square, circle) {
            (Shape::Square { side }, Shape::Circle(radius)) => side as f64 * radius,
            _ => 0.0,
        };
        let sizes = word.len() + slice.len() + many.len() + stock.len() + item.name.len() + small as usize;
        found as i64 + area as i64 + sizes as i64 + *boxed + some.unwrap() + pair.0 + none.is_some() as i64 + item.id as i64
    }
}

fn main() {
    let cart = Cart { items: vec![Item { id: 1, name: "pear".to_string() }], total: 5 };
    println!("{}", cart.price(3) + cart.total);
}
