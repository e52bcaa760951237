//! `/backoffice/v1`.

mod access;
mod passes;
mod sellers;
mod switches;
