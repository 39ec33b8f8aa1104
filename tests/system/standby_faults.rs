//! What else happens to [two servers](crate::standby) under load, of which the one at work goes on: it stands still for a moment, servers of
//! NATS are killed, stand still and are restarted one by one, the PostgreSQL is killed, and another one takes its place.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harit_testkit::postgres;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::random::between;
use crate::redelivery::Load;
use crate::server::{niceness, patience, until};
use crate::standby::{Pair, UP_MS, WITHOUT_A_NATS, times};

/// Shorter than the silence after which a server counts as gone.
const MOMENT: Duration = Duration::from_secs(3);
/// Outlives every time that NATS and its clients wait for each other.
const LONG: Duration = Duration::from_secs(12);
/// For how long it is looked after something is over.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// The longest time in which nothing was acknowledged until it is over.
async fn longest(load: Arc<Load>, mut over: oneshot::Receiver<()>) -> Duration {
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    let mut seen = load.acknowledged.load(Ordering::Relaxed);
    while over.try_recv() == Err(oneshot::error::TryRecvError::Empty) {
        sleep(Duration::from_millis(5)).await;
        let now = load.acknowledged.load(Ordering::Relaxed);
        if now > seen {
            longest = longest.max(last.elapsed());
            (seen, last) = (now, Instant::now());
        }
    }
    longest.max(last.elapsed())
}

/// What is there after a PostgreSQL was killed.
enum Comes {
    Again,
    Another(postgres::Server),
}

/// Says for how long nothing was acknowledged, which is no longer than was promised.
pub(crate) fn told(what: &str, took: Duration, promise: Duration) {
    eprintln!("{what}: nothing is acknowledged for {took:.1?}");
    assert!(niceness() > 0 || took < promise, "{what}: {took:?}");
}

impl Pair {
    /// Lets all of this happen, again and again.
    pub(crate) async fn goes_on(&mut self) {
        for _ in 0..times().div_ceil(2) {
            let took = self.a_moment().await;
            let what = "the server at work stands still for 3 s";
            told(what, took, MOMENT + Duration::from_secs(2));
            let took = self.without_a_nats().await;
            told("a server of NATS is killed", took, WITHOUT_A_NATS);
            let took = self.with_a_nats_that_hangs().await;
            // Who is connected to it may wait until it is back.
            let what = "a server of NATS stands still for 12 s";
            told(what, took, LONG + Duration::from_secs(3));
            let took = self.with_other_nats().await;
            let what = "each server of NATS is restarted";
            told(what, took, WITHOUT_A_NATS);
            let took = self.without_a_majority().await;
            let what = "two servers of NATS were away, since they are there";
            told(what, took, WITHOUT_A_NATS);
            self.without_a_database(Comes::Again).await;
        }
        // One that has a replica waits for it with each commit: the last one has none.
        let replica = self.database.replica();
        self.without_a_database(Comes::Another(replica)).await;
    }

    /// Lets something happen under load, through which the server at work goes on; the longest time in which nothing was acknowledged.
    async fn through(&mut self, happens: impl AsyncFnOnce(&mut Self)) -> Duration {
        let (load, lives) = self.connect().await;
        sleep(between(&mut self.dice, UP_MS.0, UP_MS.1)).await;
        let (is_over, over) = oneshot::channel();
        let looks = tokio::spawn(longest(Arc::clone(&load), over));
        happens(self).await;
        sleep(AFTERWARDS).await;
        is_over.send(()).unwrap();
        let took = looks.await.unwrap();
        assert!(!self.servers[self.active].has_ended());
        load.ending.store(true, Ordering::Relaxed);
        self.disconnected(lives).await;
        took
    }

    /// The server at work stands still for a moment: nobody takes over.
    async fn a_moment(&mut self) -> Duration {
        self.through(async |pair| {
            let at_work = &pair.servers[pair.active];
            at_work.signal("-STOP").await;
            sleep(MOMENT).await;
            at_work.signal("-CONT").await;
        })
        .await
    }

    /// A server of NATS is killed.
    pub(crate) async fn without_a_nats(&mut self) -> Duration {
        self.through(async |pair| {
            let killed = pair.dice.below(3);
            pair.nats[killed].kill();
            sleep(LONG).await;
            pair.nats[killed].run();
        })
        .await
    }

    /// A server of NATS stands still, and comes back.
    async fn with_a_nats_that_hangs(&mut self) -> Duration {
        self.through(async |pair| {
            let hangs = &pair.nats[pair.dice.below(3)];
            hangs.signal("-STOP");
            sleep(LONG).await;
            hangs.signal("-CONT");
        })
        .await
    }

    /// Each server of NATS is ended as for an update, and started, one after another.
    async fn with_other_nats(&mut self) -> Duration {
        self.through(async |pair| {
            for nats in &mut pair.nats {
                nats.end();
                nats.run();
                until("it has what the others have", patience(), async || {
                    nats.is_healthy().then_some(())
                })
                .await;
            }
        })
        .await
    }

    /// Two servers of NATS are killed, of three: nothing is acknowledged until one is there again. How long it takes then.
    async fn without_a_majority(&mut self) -> Duration {
        let (load, lives) = self.connect().await;
        let alive = self.dice.below(3);
        let killed = [(alive + 1) % 3, (alive + 2) % 3];
        killed.iter().for_each(|n| self.nats[*n].kill());
        // What was on its way comes.
        sleep(Duration::from_secs(1)).await;
        let before = load.acknowledged.load(Ordering::Relaxed);
        sleep(Duration::from_secs(4)).await;
        assert_eq!(load.acknowledged.load(Ordering::Relaxed), before);
        let began = Instant::now();
        killed.iter().for_each(|n| self.nats[*n].run());
        until("a message is acknowledged", patience(), async || {
            (load.acknowledged.load(Ordering::Relaxed) > before).then_some(())
        })
        .await;
        let took = began.elapsed();
        load.ending.store(true, Ordering::Relaxed);
        self.disconnected(lives).await;
        took
    }

    /// The PostgreSQL is away for a while, or for good and another one that has the same is there. The server at work goes on meanwhile;
    /// afterwards that one does, or the other one.
    async fn without_a_database(&mut self, comes: Comes) {
        let (load, lives) = self.connect().await;
        self.database.kill();
        sleep(Duration::from_secs(3)).await;
        let before = load.acknowledged.load(Ordering::Relaxed);
        sleep(Duration::from_secs(2)).await;
        assert!(load.acknowledged.load(Ordering::Relaxed) > before);
        load.killed.store(true, Ordering::Relaxed);
        match comes {
            Comes::Again => self.database.run(),
            Comes::Another(replica) => self.database.give_way_to(replica),
        }
        let (old, new) = (self.active, 1 - self.active);
        let settled = Instant::now() + Duration::from_secs(10);
        until("one of them is at work", patience(), async || {
            (self.servers[old].has_ended() || Instant::now() > settled).then_some(())
        })
        .await;
        if self.servers[old].has_ended() {
            self.servers[new].ready().await;
            self.active = new;
            assert!(!self.servers[old].ended().await.success());
            self.servers[old].spawn();
            self.stands_by(old).await;
        } else {
            load.ending.store(true, Ordering::Relaxed);
            // The other one may have tried, and found it at work.
            if self.servers[new].has_ended() {
                assert!(!self.servers[new].ended().await.success());
                self.servers[new].spawn();
            }
            self.stands_by(new).await;
        }
        eprintln!(
            "after PostgreSQL was away, server {} is at work, as {old} was",
            self.active
        );
        self.disconnected(lives).await;
        let (load, lives) = self.connect().await;
        load.ending.store(true, Ordering::Relaxed);
        self.disconnected(lives).await;
    }
}
