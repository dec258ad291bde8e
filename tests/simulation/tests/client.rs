//! The async client, its tokens and the server.

use gateway_tests_simulation::client::story;
use gateway_tests_simulation::seeds::failures;
use gateway_tests_simulation::world::World;

#[test]
fn every_answer_is_a_state_of_the_service() {
    let failures = failures("client", 50, story);
    assert!(failures.is_empty(), "{}\n{} seeds failed", failures.join("\n"), failures.len());
}

#[test]
fn a_seed_decides_everything() {
    for seed in [3, 14, 159] {
        let [first, second] = [(); 2].map(|()| World::run(seed, story));
        assert!(first.trace.len() > 100);
        assert_eq!(first, second);
    }
}
