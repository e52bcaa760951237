//! Accrue.
fn main() {}
