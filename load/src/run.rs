//! One run: connect everybody, let them send, ask the server at both ends.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;

use crate::args::LoadArgs;
use crate::connection::{Connection, Plan, Times};
use crate::farm::{Account, Controller};
use crate::idle::{self, Idle};
use crate::progress::Teller;
use crate::report::Outcome;
use crate::server::{Counters, Process};
use crate::stats::{Progress, Stats};

/// Handshakes of one thread at a time.
pub(crate) const HANDSHAKES: usize = 32;
/// How long after the last acknowledgement the server may take to count what it took.
const SETTLE: Duration = Duration::from_secs(5);
/// The longest time between two looks at the server.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long the server's memory is looked at before the idle controllers come, and after: longer than a round in which a
/// server goes over all that it has, so that what it takes for that is in both.
const REST: Duration = Duration::from_secs(6);

/// What is put under load.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its MQTT address.
    pub mqtt: String,
    /// Its HTTP address, if what it counts is to be asked for.
    pub http: Option<SocketAddr>,
    /// Its process, if it runs here.
    pub pid: Option<u32>,
    /// An account for every connection, those of the idle ones last.
    pub accounts: Vec<Account>,
}

/// There are no results.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not all controllers could connect.
    #[error("{failed} of {all} controllers could not connect: {first}")]
    Connect {
        /// How many could not.
        failed: usize,
        /// Of how many.
        all: usize,
        /// Why the first could not.
        first: String,
    },
    /// The target's address is none.
    #[error("{0} is no address of a server")]
    Address(String, #[source] io::Error),
    /// The server does not tell its counters.
    #[error("the server's metrics at {0} cannot be read")]
    Metrics(SocketAddr, #[source] io::Error),
    /// The generator itself failed.
    #[error("the generator failed")]
    Generator(#[from] io::Error),
    /// A thread of it ended early.
    #[error("a thread of the generator ended early")]
    Thread,
}

/// What a thread says once its controllers are connected.
struct Ready {
    frame_bytes: usize,
    failures: Vec<String>,
}

struct Share {
    server: Vec<SocketAddr>,
    plan: Plan,
    /// Number, account, place in 0..1, and whether it has a probe.
    controllers: Vec<(Controller, Account, f64, bool)>,
    progress: Arc<Progress>,
}

/// Runs the load against the target; blocks until it is over.
///
/// # Errors
/// When not all controllers could connect, or the server's metrics cannot be read.
pub fn run(args: &LoadArgs, target: &Target) -> Result<Outcome, LoadError> {
    let before = counters(target)?;
    let server: Vec<SocketAddr> = target
        .mqtt
        .to_socket_addrs()
        .map_err(|e| LoadError::Address(target.mqtt.clone(), e))?
        .collect();
    let progress = Arc::new(Progress::default());
    let mut threads = Vec::new();
    for share in shares(args, target, &server, &progress) {
        let (ready, is_ready) = mpsc::channel();
        let (go, times) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("harit-bench".to_owned())
            .spawn(move || work(share, &ready, times))?;
        threads.push((thread, is_ready, go));
    }
    let (mut failures, mut frame_bytes) = (Vec::new(), 0);
    for (_, is_ready, _) in &threads {
        let ready = is_ready.recv().map_err(|_| LoadError::Thread)?;
        failures.extend(ready.failures);
        frame_bytes = frame_bytes.max(ready.frame_bytes);
    }
    if let Some(first) = failures.first() {
        return Err(LoadError::Connect {
            failed: failures.len(),
            all: args.connections as usize,
            first: first.clone(),
        });
    }
    let idle = (args.idle > 0)
        .then(|| arrive(args, target, server))
        .transpose()?;
    let begin = Instant::now() + Duration::from_millis(20);
    let measure = begin + Duration::from_secs(args.warm_up.into());
    let end = measure + Duration::from_secs(args.seconds.into());
    let times = Times {
        begin,
        measure,
        end,
    };
    let mut handles = Vec::new();
    for (thread, _, go) in threads {
        go.send(times).map_err(|_| LoadError::Thread)?;
        handles.push(thread);
    }
    let arrival = idle.map(|(idle, arrival)| {
        handles.push(idle.run(times));
        arrival
    });
    let mut seen = watch(target, times, &progress, &handles);
    seen.arrival = arrival;
    let mut stats = Stats::new();
    for thread in handles {
        stats.add(thread.join().map_err(|_| LoadError::Thread)??);
    }
    let after = settle(target, &before, &stats)?;
    Ok(Outcome::new(args, frame_bytes, stats, seen, before, after))
}

fn counters(target: &Target) -> Result<Option<Counters>, LoadError> {
    target
        .http
        .map(|http| Counters::of(http).map_err(|e| LoadError::Metrics(http, e)))
        .transpose()
}

/// Asks for the counters until they have everything, or are not going to.
fn settle(
    target: &Target,
    before: &Option<Counters>,
    stats: &Stats,
) -> Result<Option<Counters>, LoadError> {
    let until = Instant::now() + SETTLE;
    loop {
        let after = counters(target)?;
        let all = match (&after, before) {
            (Some(after), Some(before)) => {
                after.since(before, "harit_readings_total") >= stats.values
            }
            _ => true,
        };
        if all || Instant::now() >= until {
            return Ok(after);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Connects the idle controllers, and sees what that takes of the server.
fn arrive(
    args: &LoadArgs,
    target: &Target,
    server: Vec<SocketAddr>,
) -> Result<(Idle, Arrival), LoadError> {
    let first = args.connections as usize;
    let process = target.pid.map(Process);
    let memory_before = process.and_then(memory_at_rest);
    let time_before = process.and_then(Process::processor_time);
    let _closed = writeln!(
        io::stderr().lock(),
        "connecting {} idle controllers",
        args.idle
    );
    let idle = Idle::connect(idle::Plan {
        server,
        accounts: target.accounts.iter().skip(first).cloned().collect(),
        first,
        reconnects: args.reconnects,
    })?;
    let time_after = process.and_then(Process::processor_time);
    let memory_after = process.and_then(memory_at_rest);
    let arrival = Arrival {
        within: idle.within,
        memory: memory_before.zip(memory_after),
        server: time_after
            .zip(time_before)
            .map(|(after, before)| after - before),
    };
    Ok((idle, arrival))
}

/// The most memory that a process has while nothing is asked of it.
fn memory_at_rest(process: Process) -> Option<u64> {
    let until = Instant::now() + REST;
    let mut most = process.memory();
    while most.is_some() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(100));
        most = most.max(process.memory());
    }
    most
}

fn shares(
    args: &LoadArgs,
    target: &Target,
    server: &[SocketAddr],
    progress: &Arc<Progress>,
) -> Vec<Share> {
    let all = target.accounts.len().min(args.connections as usize);
    let probes = args.probes();
    let interval = args
        .rate
        .map(|rate| Duration::from_secs_f64(f64::from(args.connections) / f64::from(rate)));
    let plan = Plan {
        at_least_once: args.qos > 0,
        window: if interval.is_some() && args.window == 1 {
            // A rate is a rate: it does not wait, unless the server is far behind.
            60_000
        } else {
            args.window as usize
        },
        interval,
        values: args.values.into(),
        step: args.wander,
    };
    let threads = (args.threads as usize).min(all);
    let mut shares: Vec<Share> = (0..threads)
        .map(|_| Share {
            server: server.to_vec(),
            plan,
            controllers: Vec::new(),
            progress: progress.clone(),
        })
        .collect();
    for (n, account) in target.accounts.iter().take(all).enumerate() {
        let controller = Controller::new(n, account, args.values as usize, args.shape);
        #[allow(clippy::cast_precision_loss, reason = "a place among some thousands")]
        let place = n as f64 / all as f64;
        shares[n % threads]
            .controllers
            .push((controller, account.clone(), place, n < probes));
    }
    shares
}

/// A thread of the generator.
fn work(
    share: Share,
    ready: &mpsc::Sender<Ready>,
    times: oneshot::Receiver<Times>,
) -> io::Result<Stats> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let stats = Rc::new(RefCell::new(Stats::new()));
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, work_on(share, ready, times, &stats));
    drop(local);
    Ok(Rc::try_unwrap(stats).map_or_else(|shared| shared.borrow().clone(), RefCell::into_inner))
}

async fn work_on(
    share: Share,
    ready: &mpsc::Sender<Ready>,
    times: oneshot::Receiver<Times>,
    stats: &Rc<RefCell<Stats>>,
) {
    let places = Rc::new(Semaphore::new(HANDSHAKES));
    let mut opening = Vec::new();
    let server: Rc<[SocketAddr]> = share.server.into();
    for (controller, account, place, probe) in share.controllers {
        let (server, places) = (server.clone(), places.clone());
        let (stats, progress) = (stats.clone(), share.progress.clone());
        opening.push(tokio::task::spawn_local(async move {
            let _place = places.acquire().await;
            let opened =
                Connection::open(&server, &account, controller, share.plan, stats, progress).await;
            let named = opened.map_err(|e| format!("{}: {e}", account.mac));
            named.map(|connection| (connection, place, probe))
        }));
    }
    let (mut connections, mut failures) = (Vec::new(), Vec::new());
    for opened in opening {
        match opened.await {
            Ok(Ok(connection)) => connections.push(connection),
            Ok(Err(failure)) => failures.push(failure),
            Err(e) => failures.push(e.to_string()),
        }
    }
    let frame_bytes = connections.first().map_or(0, |(c, ..)| c.frame_bytes());
    let told = ready.send(Ready {
        frame_bytes,
        failures,
    });
    // Nobody waits, or nothing is to be done: others could not connect.
    let (Ok(()), Ok(times)) = (told, times.await) else {
        return;
    };
    let running: Vec<_> = connections
        .into_iter()
        .map(|(c, place, probe)| tokio::task::spawn_local(c.run(times, place, probe)))
        .collect();
    for connection in running {
        let end = match connection.await {
            Ok(Ok(())) => continue,
            Ok(Err(e)) => e.to_string(),
            Err(e) => e.to_string(),
        };
        stats.borrow_mut().failures.push(end);
    }
}

/// What was seen of the processes while it ran.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The server's memory, every second of the measured time.
    pub(crate) memory: Vec<u64>,
    /// Processor time in the measured time, of the server and of this process.
    pub(crate) server: Option<Duration>,
    pub(crate) own: Option<Duration>,
    /// How the idle controllers came in, before all that.
    pub(crate) arrival: Option<Arrival>,
}

/// What it took until all idle controllers were connected.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) within: Duration,
    /// The server's memory before and after.
    pub(crate) memory: Option<(u64, u64)>,
    /// The server's processor time.
    pub(crate) server: Option<Duration>,
}

fn watch(
    target: &Target,
    times: Times,
    progress: &Progress,
    threads: &[std::thread::JoinHandle<io::Result<Stats>>],
) -> Seen {
    let (server, own) = (target.pid.map(Process), Process(std::process::id()));
    let time_of = |p: Option<Process>| p.and_then(Process::processor_time);
    let mut seen = Seen::default();
    let mut teller = Teller::new((times.end - times.begin).as_secs());
    let mut from = None;
    loop {
        let now = Instant::now();
        if now >= times.measure {
            if from.is_none() {
                from = Some((time_of(server), time_of(Some(own))));
            }
            seen.memory.extend(server.and_then(Process::memory));
        }
        if now >= times.end || threads.iter().all(std::thread::JoinHandle::is_finished) {
            break;
        }
        teller.tell((now - times.begin.min(now)).as_secs(), progress.taken());
        let next = if now < times.measure {
            times.measure
        } else {
            times.end
        };
        std::thread::sleep((next - now).min(LOOK_EVERY));
    }
    if let Some((server_from, own_from)) = from {
        let since = |to: Option<Duration>, from: Option<Duration>| Some(to? - from?);
        seen.server = since(time_of(server), server_from);
        seen.own = since(time_of(Some(own)), own_from);
    }
    teller.end();
    seen
}
