//! Reads a program's settings, one `key = value` a line.

use std::collections::HashMap;

const TEXT: &str = "name = harbour\nport : 8080\nretries = 3\n";

fn parse(text: &str) -> HashMap<String, String> {
    let mut settings = HashMap::new();
    for line in text.lines() {
        if let Some((key, value)) = line.split_once(" = ") {
            settings.insert(key.to_string(), value.to_string());
        }
    }
    settings
}

fn number(settings: &HashMap<String, String>, key: &str) -> u16 {
    let text = settings.get(key);
    text.unwrap().parse().unwrap()
}

fn main() {
    let settings = parse(TEXT);
    let retries = number(&settings, "retries");
    let port = number(&settings, "port");
    println!("{retries} retries at port {port}");
}
