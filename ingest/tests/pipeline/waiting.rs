//! Readings that wait for more of them, so that the journal is synced less often.

use std::time::{Duration, Instant};

use crate::world::{FARM, World, fan_says, farm, switch};

const WAIT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn readings_are_acknowledged_when_they_are_safe_and_hold_up_nothing_else() {
    let w = World::empty(|config| config.telemetry_wait = WAIT).await;
    w.hub.add_farm(farm()).await.unwrap();
    w.birth().await;
    // Who is there is known.
    w.pass(61_000).await;
    // What the farm does of itself at that moment would take them along: then they are told again.
    let mut waited = Vec::new();
    while waited.len() < 5 && !waited.iter().any(|took| *took >= WAIT) {
        let began = Instant::now();
        tokio::join!(w.temperature("21"), w.temperature("22"));
        waited.push(began.elapsed());
    }
    let longest = waited.iter().max();
    assert!(
        longest.is_some_and(|took| (WAIT..WAIT * 3).contains(took)),
        "{waited:?}"
    );
    // A report takes along what came before it, and so do a person's command and a reader.
    for case in 0..3 {
        let began = Instant::now();
        let reading = w.temperature("23");
        let other = async {
            tokio::time::sleep(WAIT / 10).await;
            match case {
                0 => fan_says(&w, true).await,
                1 => switch(&w, "off").await,
                _ => w.hub.settled(&FARM.into()).await.unwrap(),
            }
            began.elapsed()
        };
        let ((), other) = tokio::join!(reading, other);
        let took = began.elapsed();
        assert!(took < WAIT * 2 / 3 && other <= took, "{case}: {took:?}");
    }
}
