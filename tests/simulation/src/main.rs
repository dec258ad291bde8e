//! A deterministic simulation: the clients, the server and the mirror on a network with faults, in virtual time.
//!
//! A seed decides everything: delays, partitions, broken connections, crashes, revoked tokens, jumps of the clock, and
//! changes of the data. `docs/testing.md` describes what is real, what is checked, and how to repeat a failed seed.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod account;
mod client;
mod copy;
mod faults;
mod gateway;
mod mirror;
mod network;
mod pipe;
mod place;
mod program;
mod seeds;
mod transport;
mod vault;
mod world;

use crate::seeds::{assert_holds, assert_repeats};

/// The async client, its tokens and the server.
#[test]
fn every_answer_is_a_state_of_the_service() {
    assert_holds("every_answer", 50, client::story);
}

/// The mirror, through the blocking client and the server.
#[test]
fn the_mirror_is_a_state_of_the_service_and_the_fold_of_its_feed() {
    assert_holds("the_mirror", 25, mirror::story);
}

#[test]
fn a_seed_decides_everything() {
    assert_repeats([3, 14, 159], client::story);
    assert_repeats([2, 71, 828], mirror::story);
}
