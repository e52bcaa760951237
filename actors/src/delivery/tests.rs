mod attempts;
mod hands;
mod lines;
mod receiver;
mod staging;
mod world;
