//! Controllers that are connected and idle: one thread holds all of them, and lets some of them connect again.
//!
//! They come in a few at a time, and stay until the run ends. Each connects again at instants of its own, evenly spread,
//! so that together they keep the rate whatever the server does.

mod controller;
mod source;

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::Instant;

use self::controller::{Controller, Errand, live};
use self::source::Sources;
use crate::connection::{DRAIN, Times};
use crate::farm::Account;
use crate::run::{HANDSHAKES, LoadError};
use crate::stats::Stats;

/// How long all of them may take to connect: this, and a second more for so many of them.
const CONNECT_WITHIN: Duration = Duration::from_secs(60);
const CONNECTS_A_SECOND: u32 = 100;

/// Who is to be held.
pub(crate) struct Plan {
    pub(crate) server: Vec<SocketAddr>,
    pub(crate) accounts: Vec<Account>,
    /// The number of the first of them among all controllers.
    pub(crate) first: usize,
    /// How many connect again a second.
    pub(crate) reconnects: u32,
}

/// All of them, connected.
pub(crate) struct Idle {
    thread: JoinHandle<io::Result<Stats>>,
    times: watch::Sender<Option<Times>>,
    /// How long it took until each was connected and its birth message taken.
    pub(crate) within: Duration,
}

impl Idle {
    /// Connects all of them; blocks until the last one is there.
    ///
    /// # Errors
    /// When one of them cannot connect; the others are not waited for.
    pub(crate) fn connect(plan: Plan) -> Result<Self, LoadError> {
        let (times, seen) = watch::channel(None);
        let (ready, is_ready) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("harit-bench-idle".to_owned())
            .spawn(move || work(plan, seen, ready))?;
        let within = is_ready.blocking_recv().map_err(|_| LoadError::Thread)??;
        Ok(Self {
            thread,
            times,
            within,
        })
    }

    /// Tells them when what begins and ends.
    pub(crate) fn run(self, times: Times) -> JoinHandle<io::Result<Stats>> {
        self.times.send_replace(Some(times));
        self.thread
    }
}

type Ready = oneshot::Sender<Result<Duration, LoadError>>;

fn work(plan: Plan, times: watch::Receiver<Option<Times>>, ready: Ready) -> io::Result<Stats> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let stats = Rc::new(RefCell::new(Stats::new()));
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, hold(plan, times, ready, &stats));
    drop(local);
    Ok(Rc::try_unwrap(stats).map_or_else(|shared| shared.borrow().clone(), RefCell::into_inner))
}

async fn hold(
    plan: Plan,
    mut times: watch::Receiver<Option<Times>>,
    ready: Ready,
    stats: &Rc<RefCell<Stats>>,
) {
    let all = plan.accounts.len();
    let (connected, mut arrivals) = mpsc::unbounded_channel();
    let every = (plan.reconnects > 0).then(|| {
        #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
        Duration::from_secs_f64(all as f64 / f64::from(plan.reconnects))
    });
    let sources = Sources::new(&plan.server, all, plan.reconnects);
    let errand = Rc::new(Errand {
        server: plan.server,
        places: Semaphore::new(HANDSHAKES),
        connected,
        every,
        stats: stats.clone(),
    });
    let begin = Instant::now();
    let mut tasks = Vec::with_capacity(all);
    for (k, account) in plan.accounts.into_iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "a place among some thousands")]
        let share = k as f64 / all as f64;
        let controller = Controller::new(plan.first + k, account, sources.of(k));
        let alive = live(controller, errand.clone(), times.clone(), share);
        tasks.push(tokio::task::spawn_local(alive));
    }
    let within = CONNECT_WITHIN
        + Duration::from_secs(1) * u32::try_from(all).unwrap_or(u32::MAX) / CONNECTS_A_SECOND;
    let arrived = tokio::time::timeout_at(begin + within, arrive(&mut arrivals, all)).await;
    let arrived = arrived.unwrap_or_else(|_| Err(format!("not all within {within:?}")));
    let failed = arrived.is_err();
    let told = ready.send(match arrived {
        Ok(()) => Ok(begin.elapsed()),
        Err(first) => Err(LoadError::Connect {
            failed: 1,
            all,
            first,
        }),
    });
    if failed || told.is_err() {
        return;
    }
    // Nobody says when: others could not connect.
    let Ok(until) = times.wait_for(Option::is_some).await.map(|times| *times) else {
        return;
    };
    let Some(until) = until else { return };
    for task in tasks {
        let end = match tokio::time::timeout_at(until.end + DRAIN, task).await {
            Ok(Ok(Ok(()))) => continue,
            Ok(Ok(Err(e))) => e.to_string(),
            Ok(Err(e)) => e.to_string(),
            Err(_) => "an idle controller did not end in time".to_owned(),
        };
        stats.borrow_mut().failures.push(end);
    }
}

/// Waits until so many said that they are connected, or one that it cannot.
async fn arrive(
    arrivals: &mut mpsc::UnboundedReceiver<Result<(), String>>,
    all: usize,
) -> Result<(), String> {
    for _ in 0..all {
        match arrivals.recv().await {
            Some(Ok(())) => {}
            Some(Err(failure)) => return Err(failure),
            None => return Err("the generator ended early".to_owned()),
        }
    }
    Ok(())
}
