//! Rollups, events, backlog.

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use harit_ingest::LiveKind;
use harit_ingest::history::EventFilter;

use crate::world::{FARM, MAC, START, World};

fn ids() -> (FarmId, SensorId) {
    (FarmId::from(FARM), SensorId::from("t1"))
}

fn ms(t: i64) -> Timestamp {
    Timestamp::from_millis(t)
}

#[tokio::test]
async fn rollups_are_exact_and_survive_crashes_without_doubling() {
    let mut w = World::new().await;
    w.birth().await;
    let minute = START - START % 60_000;
    let (farm, sensor) = ids();
    // Three lives of the process within one minute; in the second, part of it is already stored.
    w.temperature("20.1").await;
    w.hub.flush_history().await;
    w.temperature("20.2").await;
    w = w.after_crash(|_| {}).await.unwrap();
    w.temperature("20.4").await;
    w.hub.snapshot().await;
    w.temperature("999").await;
    w.temperature("null").await;
    w = w.after_crash(|_| {}).await.unwrap();
    w.hub.flush_history().await;
    let all = w
        .hub
        .history()
        .rollups(&farm, &sensor, ms(minute), ms(minute + 60_000), 60)
        .await
        .unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    let r = all[0];
    assert_eq!((r.at, r.count, r.sum_micro), (ms(minute), 3, 60_700_000));
    let q = Quantity::from_micro;
    assert_eq!(
        (r.min, r.max, r.last, r.mean),
        (q(20_100_000), q(20_400_000), q(20_400_000), q(20_233_333))
    );
    // Longer steps, gaps, and too many points.
    w.pass(120_000).await;
    w.temperature("10").await;
    w.hub.flush_history().await;
    let stored = w.hub.history();
    let ask = |to, step| stored.rollups(&farm, &sensor, ms(minute), ms(to), step);
    let minutes = ask(minute + 240_000, 60).await.unwrap();
    assert_eq!(
        minutes
            .iter()
            .map(|r| r.at.as_millis() - minute)
            .collect::<Vec<_>>(),
        [0, 120_000]
    );
    let hour = ask(minute + 3_600_000, 3_600).await.unwrap();
    assert_eq!(hour.iter().map(|r| r.count).sum::<u64>(), 4);
    assert!(ask(i64::MAX / 2, 60).await.is_err());
}

#[tokio::test]
async fn backlog_is_history_and_nothing_else() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    let (farm, sensor) = ids();
    let old = w.now() - 3_600_000;
    let batch: Vec<String> = (0..3)
        .map(|i| {
            format!(
                r#"{{"ts":{},"sensors":[{{"id":"t1","latestValue":50}}]}}"#,
                old + i * 1_000
            )
        })
        .collect();
    w.publish(MAC, "telemetry", &format!("[{}]", batch.join(",")))
        .await;
    assert_eq!(
        w.read(|e| (e.counters().readings, e.sensors().next().unwrap().value))
            .await,
        (0, None)
    );
    w.hub.flush_history().await;
    let from = ms(old - old % 60_000);
    let all = w
        .hub
        .history()
        .rollups(&farm, &sensor, from, ms(w.now()), 60)
        .await
        .unwrap();
    assert_eq!(all.iter().map(|r| r.count).sum::<u64>(), 3);
    // From the future: taken as of now.
    w.publish(
        MAC,
        "telemetry",
        &format!(
            r#"{{"ts":{},"sensors":[{{"id":"t1","latestValue":21}}]}}"#,
            w.now() + 86_400_000
        ),
    )
    .await;
    let now = w.now();
    assert_eq!(
        w.read(|e| e.sensors().next().unwrap().read_at).await,
        Some(ms(now))
    );
    assert_eq!(
        w.hub.controllers(&farm).await.unwrap()[0].future_timestamps,
        1
    );
    // After a crash the same: what was backlog does not come back as a reading.
    let again = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(again.read(|e| e.counters().readings).await, 1);
}

#[tokio::test]
async fn events_are_stored_once() {
    let mut w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    let (farm, _) = ids();
    w = w.after_crash(|_| {}).await.unwrap();
    w.hub.flush_history().await;
    let stored = w
        .hub
        .history()
        .events(&farm, EventFilter::default())
        .await
        .unwrap();
    let names: Vec<_> = stored.iter().map(|e| e.event.as_str()).collect();
    // Newest first; the second command is that of the restart.
    assert_eq!(names, ["command", "command", "rule_fired"]);
    assert_eq!(stored[1].body["command_id"], "f1-1");
    let filter = EventFilter {
        events: vec!["rule_fired".into()],
        before: Some(stored[0].id),
        ..EventFilter::default()
    };
    let some = w.hub.history().events(&farm, filter).await.unwrap();
    assert_eq!((some.len(), some[0].at), (1, ms(START + 2_000)));
}

#[tokio::test]
async fn telemetry_is_told_live() {
    let w = World::new().await;
    w.birth().await;
    let mut live = w.hub.subscribe();
    w.pass(1_000).await;
    w.temperature("21.5").await;
    let event = tokio::time::timeout(std::time::Duration::from_secs(5), live.recv())
        .await
        .unwrap()
        .unwrap();
    let LiveKind::Telemetry(t) = &event.kind else {
        panic!("{event:?}")
    };
    let told = serde_json::to_value(t).unwrap();
    let at = w.now();
    assert_eq!(
        told,
        serde_json::json!({"sensors": [{"id": "t1", "type": "temperature", "unit": "°C", "latestValue": 21.5, "at": at}]})
    );
}
