//! An update under load, one server after another: [the one](crate::standby) that stands by first. With `HARIT_BIN`, the version before,
//! which has made everything that is there.

use std::sync::atomic::Ordering;

use crate::farm::now_ms;
use crate::random::dice;
use crate::server::{given_binary, machine, update};
use crate::standby::{End, PROMISES, Pair};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server, PostgreSQL and HARIT_BIN"]
async fn an_update_is_one_server_after_the_other() {
    let _machine = machine().await;
    assert!(given_binary().is_some(), "HARIT_BIN is the version before");
    let mut pair = Pair::new(dice("an update of two servers")).await;
    pair.servers[0].start().await;
    let began = now_ms();
    pair.stand_by().await;
    let [killed, _, stopped] = PROMISES;
    // What the version before has written is more than a beginning.
    pair.takes_over(killed.0, killed.1).await;
    let (load, lives) = pair.connect().await;
    update();
    let waits = 1 - pair.active;
    pair.starts_again(waits).await;
    let before = load.acknowledged.load(Ordering::Relaxed);
    let took = pair.hand_over(End::Stopped, &load, lives).await;
    assert!(load.acknowledged.load(Ordering::Relaxed) > before);
    eprintln!("the newer version is at work after {took:.1?}");
    for (end, promise) in [stopped, killed] {
        pair.takes_over(end, promise).await;
    }
    pair.nothing_is_lost(began).await;
}
