//! What is generated of alerts that are bound to trees is enough to notice mistakes in them.

use crate::generate::{Options, case};
use crate::{Model, Mutation};

const CASES: u64 = 600;

#[test]
fn each_mistake_shows_in_some_case() {
    let mut unseen = vec![
        Mutation::OnlyIfUnknownIsFalse,
        Mutation::SilenceOutlastsOnlyIf,
        Mutation::ClearingAlwaysNeedsSamples,
        Mutation::FreeClearingCountsNoSamples,
        Mutation::OnlyIfIsNoSample,
        Mutation::RaisedAlertsKeepNoBranches,
        Mutation::InterruptedIsFalse,
    ];
    for seed in 0..CASES {
        let case = case(seed, Options::default());
        if unseen.is_empty() || !case.farm["alerts"].to_string().contains("only_if") {
            continue;
        }
        let run = |mut model: Model| {
            let inputs = case.all_inputs();
            inputs.map(|i| model.apply(&i)).collect::<Vec<_>>()
        };
        let Ok(model) = Model::new(&case.farm) else {
            continue;
        };
        let right = run(model.clone());
        unseen.retain(|m| run(model.clone().with_mutation(*m)) == right);
    }
    assert!(unseen.is_empty(), "never seen: {unseen:?}");
}
