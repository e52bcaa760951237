mod attempts;
mod fixture;
mod queues;
mod receiver;
mod redeliver;
mod staging;
