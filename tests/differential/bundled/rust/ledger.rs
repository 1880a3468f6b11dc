//! A ledger of entries.
#![allow(dead_code)]

use std::collections::HashMap;
use std::fmt::{self, Display};
use crate::money::*;

pub const LIMIT: usize = 1_000;
static NAME: &str = "größe";

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a, T: Clone> {
    pub id: u64,
    text: &'a str,
    amount: T,
}

struct Plain {
    id: u64,
}

#[derive(Debug)]
pub enum Problem {
    Empty,
    TooMany(usize, usize),
    Broken { line: usize },
}

impl<'a, T: Clone> Entry<'a, T> {
    pub fn new(id: u64, text: &'a str, amount: T) -> Self {
        Entry { id, text, amount }
    }

    pub(crate) fn text(&self) -> &str {
        self.text
    }

    async fn refresh(&mut self, source: impl Into<String>) -> Result<(), Problem> {
        let text = source.into();
        self.id += 1;
        println!("{} {}", self.id, text);
        Ok(())
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Empty => write!(f, "empty"),
            Problem::TooMany(found, limit) if found > limit => write!(f, "{} > {}", found, limit),
            Problem::TooMany(_, _) | Problem::Broken { .. } => Ok(()),
        }
    }
}

pub fn parse(lines: &[&str]) -> Result<Vec<Entry<'static, i64>>, Problem> {
    let mut found = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(lines.len());
    if lines.is_empty() {
        return Err(Problem::Empty);
    }
    for (number, line) in lines.iter().enumerate() {
        let amount = line.trim().parse::<i64>().unwrap();
        let other: i64 = line.parse().map_err(|_| Problem::Broken { line: number })?;
        if let Some(count) = seen.get_mut(*line) {
            *count += 1;
            continue;
        }
        seen.insert(line.to_string(), /* once */ 1);
        found.push(Entry::new(number as u64, "line", amount + other));
    }
    assert_eq!(found.len(), seen.len());
    Ok(found)
}

fn total(entries: &[Entry<i64>]) -> i64 {
    entries.iter().map(|entry| entry.amount).filter(|amount| *amount > 0).sum()
}

fn run() -> Option<usize> {
    let a = foo(1, 2, 3);
    let b = foo(1);
    let c = foo();
    let d = foo(a, b);
    let _ = foo(a, b, b,);
    let pair = (a, b);
    let list = vec![1, 2, 3];
    let text = format!("{:?} {}", list, a == a);
    while let Some(top) = list.pop() {
        if top > 1 && !list.is_empty() {
            break;
        } else {
            println!("{}", top);
        }
    }
    loop {
        let x = if a > b { a } else { b };
        unsafe { libc::free(x as *mut _) };
        return Some(x.clone().unwrap().checked_add(1)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        let entries = [Entry::new(1, "a", 2), Entry::new(2, "b", 3)];
        assert_eq!(total(&entries), 5);
        assert!(parse(&[]).is_err(), "nothing to parse");
    }
}
