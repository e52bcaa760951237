mod attempts;
mod fixture;
mod keeping;
mod ordering;
mod queues;
mod receiver;
mod redeliver;
mod staging;
