//! What the transport leaves to the program behind it.

/// The state that handlers are given, and what the program knows about routes and requests.
pub trait State: Send + Sync + Sized + 'static {
    /// What a route demands beyond its method, path and body.
    type Policy: Clone + Default + Send + Sync + 'static;
    /// What was found out about a request before its handler runs: who sends it, and the like.
    type Context: Send + Sync + 'static;
}
