//! Behind an external broker nobody says who sent a message: the topic does, and the broker lets a controller write any farm
//! into its own part of it.

use harit_engine::FarmDocument;

use crate::world::{FARM, MAC, World};

#[tokio::test]
async fn a_controller_speaks_for_the_farm_that_registered_it_only() {
    let w = World::new().await;
    w.hub
        .add_farm(FarmDocument::empty("f2", "Another"))
        .await
        .unwrap();
    let payload = r#"{"sensors":[{"id":"t1","type":"temperature","latestValue":30}]}"#;
    let publish = |farm: &str| {
        let mut batch = World::batch(MAC, "telemetry", &[payload]);
        batch.from = None;
        batch.publishes[0].topic = format!("harit/1/{farm}/{MAC}/telemetry").into();
        batch
    };
    // Its own farm first, so that what is known of it is remembered.
    for (farm, rejected) in [(FARM, 0), ("f2", 1), (FARM, 0), ("f2", 1), ("f3", 1)] {
        let taken = w.receive(publish(farm)).await.await.unwrap();
        assert_eq!(taken.rejected, rejected, "{farm}");
    }
    for (farm, sensors) in [(FARM, 1), ("f2", 0)] {
        let known = w.hub.read(&farm.into(), |e| e.sensors().count()).await;
        assert_eq!(known, Ok(sensors), "{farm}");
    }
}
