//! A Stripe-compatible processor, asked as payments ask it: what it does, what is lost on the way
//! and what may be known then. Whatever goes wrong, a card is charged once at most.

mod carrying;
mod elsewhere;
mod failing;
mod finalizing;
mod going;
mod keeping;
mod localstripe;
mod losing;
mod whole;
