//! How far a server has shut down.

/// How far a server has shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Accepts connections and requests.
    Serving,
    /// Still accepts both, and reports that it is not ready, so that a load balancer sends clients elsewhere.
    Leaving,
    /// Accepts no new connection, and closes each open one after its current responses.
    Draining,
    /// Cuts the connections that are still open.
    Cutting,
}
