//! Random operations against a model: see `pairbond_testing::oracle`.
#![cfg(not(loom))]

use pairbond_testing::{oracle, random};

#[test]
fn what_must_be_alive_is_and_nothing_else() {
    let mut rng = random::seeded_rng("oracle");
    let done = oracle::run_random_steps(&mut rng, random::step_count(100_000));
    println!("{done:#?}");
    if !cfg!(miri) {
        assert_eq!(done.len(), 17, "every operation did something");
    }
}
