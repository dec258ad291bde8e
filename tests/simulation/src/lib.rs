//! A deterministic simulation: the clients, the server and the mirror on a network with faults, in virtual time.
//!
//! A seed decides everything: delays, partitions, broken connections, crashes, revoked tokens, jumps of the clock, and
//! changes of the data. `docs/testing.md` describes what is real, what is checked, and how a failed seed is repeated.

pub mod account;
pub mod client;
pub mod copy;
pub mod faults;
pub mod gateway;
pub mod mirror;
pub mod network;
pub mod pipe;
pub mod place;
pub mod program;
pub mod seeds;
pub mod transport;
pub mod vault;
pub mod world;
