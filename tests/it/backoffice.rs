//! `/backoffice/v1`.

mod door;
mod passes;
mod sellers;
mod switches;
