//! Of [two servers](crate::standby) the one at work is cut off from NATS, and from nothing else: the other one goes on.

use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::farm::now_ms;
use crate::random::{between, dice};
use crate::server::{SETTINGS, machine, patience, until};
use crate::standby::{Pair, UP_MS};
use crate::standby_faults::told;

/// For how long both are cut off: longer than one waits that gives way.
const BOTH: Duration = Duration::from_secs(25);
/// After how long one that stands by says that it could go on, and a while.
const ABLE: Duration = Duration::from_secs(7);
/// The promise, from the cut until the other one is ready.
const GIVES_WAY: Duration = Duration::from_secs(25);

/// The ways from a server to those of NATS. Cut off, they pass nothing, and nobody is told; what was on its way comes late.
struct Ways(watch::Sender<bool>);

impl Ways {
    /// Has a server of the pair go by them.
    async fn of(pair: &Pair, server: usize) -> Self {
        let ways = Self(watch::Sender::new(false));
        let path = pair.homes[server].path(SETTINGS);
        let mut settings = fs::read_to_string(&path).unwrap();
        for nats in &pair.nats {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let own = listener.local_addr().unwrap().port();
            let [there, here] = [nats.port, own].map(|port| format!("nats://127.0.0.1:{port}"));
            settings = settings.replace(&there, &here);
            tokio::spawn(passing(listener, nats.port, ways.0.subscribe()));
        }
        fs::write(&path, settings).unwrap();
        ways
    }

    fn are_cut(&self, are: bool) {
        self.0.send_replace(are);
    }
}

async fn passing(listener: TcpListener, to: u16, is_cut: watch::Receiver<bool>) {
    while let Ok((here, _)) = listener.accept().await {
        let mut is_cut = is_cut.clone();
        tokio::spawn(async move {
            let _ = is_cut.wait_for(|is| !is).await;
            let Ok(there) = TcpStream::connect(("127.0.0.1", to)).await else {
                return;
            };
            let ((from_here, to_here), (from_there, to_there)) =
                (here.into_split(), there.into_split());
            tokio::join!(
                pass(from_here, to_there, is_cut.clone()),
                pass(from_there, to_here, is_cut)
            );
        });
    }
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut is_cut: watch::Receiver<bool>) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        let passes = is_cut.wait_for(|is| !is).await.is_ok();
        if !passes || to.write_all(&bytes[..n]).await.is_err() {
            break;
        }
    }
}

/// The server that stands by stands still, and the one at work is cut off at the same time.
async fn hangs(pair: &mut Pair, ways: &Ways) {
    sleep(ABLE).await;
    pair.servers[1].signal("-STOP").await;
    ways.are_cut(true);
    sleep(BOTH).await;
    assert!(!pair.servers[0].has_ended());
    ways.are_cut(false);
    pair.servers[1].signal("-CONT").await;
    sleep(ABLE).await;
    assert!(!pair.servers[0].has_ended());
    if pair.servers[1].has_ended() {
        assert!(!pair.servers[1].ended().await.success());
        pair.servers[1].spawn();
    }
    pair.stands_by(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn a_server_that_is_cut_off_from_nats_gives_way_to_one_that_is_not() {
    let _machine = machine().await;
    let mut pair = Pair::new(dice("cut off from NATS")).await;
    let ways = [Ways::of(&pair, 0).await, Ways::of(&pair, 1).await];
    pair.servers[0].start().await;
    let began = now_ms();
    pair.stand_by().await;

    // Both: nobody could do better, so the one at work stays.
    let (load, lives) = pair.connect().await;
    ways.iter().for_each(|ways| ways.are_cut(true));
    sleep(BOTH).await;
    assert!(!pair.servers[0].has_ended());
    ways.iter().for_each(|ways| ways.are_cut(false));
    let before = load.acknowledged.load(Ordering::Relaxed);
    until("a message is acknowledged", patience(), async || {
        (load.acknowledged.load(Ordering::Relaxed) > before).then_some(())
    })
    .await;

    // The other one said that it could, and hangs: it is not believed for longer than it lives.
    hangs(&mut pair, &ways[0]).await;

    // The one at work alone.
    sleep(between(&mut pair.dice, UP_MS.0, UP_MS.1) + Duration::from_secs(6)).await;
    assert!(!pair.servers[0].has_ended());
    load.killed.store(true, Ordering::Relaxed);
    ways[0].are_cut(true);
    let cut = Instant::now();
    pair.servers[1].ready().await;
    told(
        "the server at work is cut off from NATS",
        cut.elapsed(),
        GIVES_WAY,
    );
    pair.active = 1;
    assert!(!pair.servers[0].ended().await.success());
    let said = pair.servers[0].said();
    assert!(said.contains("answer a server that stands by"), "{said}");
    pair.disconnected(lives).await;
    let (load, lives) = pair.connect().await;
    // What it had on its way comes now, and counts no more.
    ways[0].are_cut(false);
    pair.servers[0].spawn();
    pair.stands_by(0).await;
    load.ending.store(true, Ordering::Relaxed);
    pair.disconnected(lives).await;
    pair.nothing_is_lost(began).await;
}
