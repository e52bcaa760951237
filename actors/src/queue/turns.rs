//! Whose turn it is: lines that wait for a place, seller by seller.

use std::collections::{HashMap, VecDeque};

use super::Line;
use crate::domain::ids::SellerId;

/// Lines that wait, and the places that are taken.
#[derive(Debug)]
pub(super) struct Turns<L> {
    places: usize,
    taken: usize,
    waiting: usize,
    /// Sellers with lines that wait, in turn.
    sellers: VecDeque<SellerId>,
    lines: HashMap<SellerId, VecDeque<L>>,
    held: HashMap<SellerId, usize>,
}

impl<L: Line> Turns<L> {
    pub(super) fn new(places: usize) -> Self {
        Self {
            places,
            taken: 0,
            waiting: 0,
            sellers: VecDeque::new(),
            lines: HashMap::new(),
            held: HashMap::new(),
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    pub(super) fn wait(&mut self, line: L) {
        let lines = self.lines.entry(line.seller()).or_default();
        if lines.is_empty() {
            self.sellers.push_back(line.seller());
        }
        lines.push_back(line);
        self.waiting += 1;
    }

    /// Gives a place to the next line, unless all are taken by others or kept free for them.
    pub(super) fn next(&mut self) -> Option<L> {
        let free = self.places - self.taken;
        if free == 0 {
            return None;
        }
        // No more sellers are passed over than hold a place.
        for _ in 0..self.sellers.len() {
            let seller = self.sellers.pop_front()?;
            if self.held.get(&seller).is_some_and(|held| *held >= free) {
                self.sellers.push_back(seller);
                continue;
            }
            let lines = self.lines.get_mut(&seller)?;
            let line = lines.pop_front();
            if lines.is_empty() {
                self.lines.remove(&seller);
            } else {
                self.sellers.push_back(seller);
            }
            self.waiting -= 1;
            self.taken += 1;
            *self.held.entry(seller).or_default() += 1;
            return line;
        }
        None
    }

    pub(super) fn give_back(&mut self, seller: SellerId) {
        self.taken -= 1;
        if let Some(held) = self.held.get_mut(&seller) {
            *held -= 1;
            if *held == 0 {
                self.held.remove(&seller);
            }
        }
    }
}
