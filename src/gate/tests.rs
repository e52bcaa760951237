//! The pipeline as it is met from outside: a server of a few routes on a free port.

mod answered;
mod bodies;
mod capacity;
mod crowd;
mod ending;
mod harness;
mod order;
mod patience;
mod secure;
mod space;
mod wire;
