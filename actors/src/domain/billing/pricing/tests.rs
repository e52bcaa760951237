//! Prices, by tables of published examples and against exact fractions.

mod back_tests;
mod fixtures;
mod limits;
mod published;
mod referee;
mod seat_days;
mod validation;
mod versions;
