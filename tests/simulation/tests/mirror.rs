//! The mirror, through the blocking client and the server.

use gateway_tests_simulation::mirror::story;
use gateway_tests_simulation::seeds::failures;
use gateway_tests_simulation::world::World;

#[test]
fn the_mirror_is_a_state_of_the_service_and_the_fold_of_its_feed() {
    let failures = failures("mirror", 25, story);
    assert!(failures.is_empty(), "{}\n{} seeds failed", failures.join("\n"), failures.len());
}

#[test]
fn a_seed_decides_everything() {
    for seed in [2, 71, 828] {
        let [first, second] = [(); 2].map(|()| World::run(seed, story));
        assert!(first.trace.len() > 100);
        assert_eq!(first, second);
    }
}
