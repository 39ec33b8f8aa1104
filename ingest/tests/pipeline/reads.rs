//! Who reads a farm sees everything that was applied before, and holds up nobody.

use std::sync::mpsc::channel;
use std::time::Duration;

use crate::world::{FARM, World};

/// The sensor's value, as whoever asks reads it.
async fn value(w: &World) -> Option<i64> {
    w.read(|e| e.sensors().find_map(|s| s.value)?.as_units())
        .await
}

#[tokio::test]
async fn who_reads_sees_what_was_applied_before() {
    let w = World::new().await;
    w.birth().await;
    for n in 20..60 {
        w.temperature(&n.to_string()).await;
        assert_eq!(value(&w).await, Some(n), "acknowledged before");
        assert_eq!(value(&w).await, Some(n), "and still so");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_holds_up_nobody() {
    let w = World::new().await;
    w.birth().await;
    let (began, has_begun) = channel();
    let (end, ended) = channel::<()>();
    let hub = w.hub.clone();
    let reader = tokio::spawn(async move {
        let slow = move |_: &harit_engine::Engine| {
            began.send(()).unwrap();
            ended.recv_timeout(Duration::from_secs(30)).is_ok()
        };
        hub.read(&FARM.into(), slow).await
    });
    tokio::task::spawn_blocking(move || has_begun.recv().unwrap())
        .await
        .unwrap();
    w.temperature("36").await;
    assert_eq!(value(&w).await, Some(36));
    end.send(()).unwrap();
    assert_eq!(reader.await.unwrap(), Ok(true));
}
