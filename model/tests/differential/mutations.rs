//! The comparison notices mistakes: a model that makes a deliberate one disagrees with the engine before long.

use harit_model::Mutation;
use harit_model::generate::case;

use crate::cases::options;
use crate::engine_side::compare;

/// Within so many cases each mistake must show.
const CASES: u64 = 2_000;

/// The cases in which the rarest mistakes showed when this was written: they are tried from there on, and then from the first. Most of
/// the time went to finding these six again.
const SHOWN: [(Mutation, u64); 6] = [
    (Mutation::FalseIsNoInterruption, 1_590),
    (Mutation::ResumedKeepsBranchesOfAlerts, 1_086),
    (Mutation::RunEndsFirst, 880),
    (Mutation::LaterActionRenewsClaim, 509),
    (Mutation::CatchUpTakesAll, 420),
    (Mutation::OnlyIfIsNoSample, 240),
];

#[test]
fn every_mutation_is_noticed() {
    let next = std::sync::Mutex::new(Mutation::ALL.to_vec());
    let found = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(mutation) = { next.lock().unwrap().pop() } {
                    let shown = SHOWN.iter().find(|(rare, _)| *rare == mutation);
                    let first = shown.map_or(0, |(_, seed)| *seed);
                    let seed = (first..CASES).chain(0..first).find(|seed| {
                        compare(&case(*seed, options()), Some(mutation), *seed).is_err()
                    });
                    found.lock().unwrap().push((mutation, seed));
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    println!("{found:#?}");
    let missed: Vec<_> = found.iter().filter(|(_, seed)| seed.is_none()).collect();
    assert!(
        missed.is_empty() && found.len() == Mutation::ALL.len(),
        "not noticed within {CASES} cases: {missed:?}"
    );
}
