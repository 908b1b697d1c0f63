//! As deadlock.c: what std's mutexes do not tell, their guards do.
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;
use std::{process, thread};

fn transfer(from: &Mutex<i32>, to: &Mutex<i32>, both_hold_one: &Barrier) -> i32 {
    let taken = from.lock().unwrap();
    both_hold_one.wait();
    let given = to.lock().unwrap();
    *taken + *given
}

fn main() {
    let accounts = Arc::new([Mutex::new(1), Mutex::new(2)]);
    let gate = Arc::new(Barrier::new(3));
    for (from, to) in [(0, 1), (1, 0)] {
        let (accounts, gate) = (accounts.clone(), gate.clone());
        thread::spawn(move || transfer(&accounts[from], &accounts[to], &gate));
    }
    gate.wait();
    thread::sleep(Duration::from_secs(1));
    process::abort();
}
