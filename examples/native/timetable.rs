//! When does the next bus leave, counted from each stop's first bus?

struct Line {
    name: &'static str,
    minutes: Vec<u32>,
}

fn departure(line: &Line, number: usize) -> u32 {
    line.minutes[number]
}

fn last_departure(line: &Line) -> u32 {
    let buses = line.minutes.len();
    departure(line, buses)
}

fn main() {
    let lines = vec![
        Line { name: "12", minutes: vec![5, 25, 45] },
        Line { name: "N4", minutes: vec![15] },
    ];
    for line in &lines {
        println!("line {}: last bus at :{:02}", line.name, last_departure(line));
    }
}
