use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

#[allow(dead_code)]
enum Shape {
    Circle(f64),
    Rect { w: i32, h: i32 },
}

struct Node {
    value: i32,
    next: Option<Box<Node>>,
}

fn longest<'a>(words: &'a [&'a str]) -> usize {
    let mut best = 0;
    for word in words.iter() {
        best = best.max(word.len()); // @bp word
    }
    best
}

#[allow(unused_variables)]
fn main() {
    let words = ["cat", "horse"];
    let text = String::from("owned");
    let prices = vec![1, 2];
    let to_str = &words[0];
    let to_text = &text;
    let to_prices = &prices;
    let to_to_text = &to_text;
    let triple = [1, 2, 3];
    let to_triple = &triple;
    let quoted = "say \"hi\"\n";
    let boxed_text: Box<str> = "boxed".into();
    let boxed: Option<Box<i32>> = Some(Box::new(7));
    let good: Result<i32, String> = Ok(4);
    let bad: Result<i32, String> = Err("bad".to_string());
    let circle = Shape::Circle(1.5);
    let rect = Shape::Rect { w: 3, h: 4 };
    let list = Node { value: 1, next: None };
    let shared = Rc::new(RefCell::new(5));
    let mut stock: HashMap<String, i32> = HashMap::new();
    stock.insert("pear".to_string(), 1);
    let ordered = BTreeMap::from([(1, 10), (2, 20)]);
    let queue = VecDeque::from([1, 2]);
    let small: i8 = -5;
    let euro = '€';
    let unit = ();
    let part = &prices[1..];
    println!("{}", longest(&words) + list.value as usize + list.next.map_or(0, |next| next.value as usize)); // @bp kinds
}
