//! Durable work that is carried out by workers: rows in order, a line for each addressee.
//!
//! * A line is all the work for one addressee. Its rows are carried out one group after the other,
//!   lines run beside each other.
//! * [`Queue`] knows which lines have work, never the rows themselves: its act reads those, or
//!   keeps a bounded number of them. It holds a bounded number of lines; what is beyond is found
//!   again on the disk.
//! * A line that fails gives its place back and is tried again after a pause that doubles. One that
//!   failed too often is parked: shown to the operator, and tried again seldom.
//! * A seller is given another place while it holds fewer than are free, so that no backlog keeps
//!   the others waiting.
//! * [`Supervisor`] runs the loops that look for work. One that ends or panics starts again after a
//!   pause, is counted, and is told of by `/readyz` until then.

mod limits;
mod lines;
mod pool;
mod supervisor;
#[cfg(test)]
mod tests;
mod turns;
mod worker;

pub use limits::Limits;
pub use lines::{Level, Line, Outcome, Trouble};
pub use pool::{Act, Queue};
pub use supervisor::{Supervisor, WorkerFigures};
pub(crate) use worker::{BEAT, Pulse, blocking, read_blocking};
