//! The world: everything that happens, in the order of virtual time. [`units`] has the controllers and the network,
//! [`server`] the turns, [`crash`] its deaths,
//! [`takeover`] the server that was at work beside it, [`strikes`] what goes wrong and what people do, [`looks`] what is checked while
//! it runs, [`end`] what is checked when it is over.

mod crash;
mod end;
mod looks;
mod server;
mod strikes;
mod takeover;
mod units;

use std::collections::{BTreeMap, VecDeque};
use std::iter::Sum;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use harit_engine::{Event, InputKind, Timestamp};
use harit_ingest::mqtt::Receipt;
use harit_ingest::simulation::{Answer, Folded, Server, ServerConfig};
use harit_model::generate::Dice;

use crate::check::{Checks, When};
use crate::field::Field;
use crate::log::{Log, Work};
use crate::plan::{self, FarmPlan};
use crate::rates::Rates;
use crate::time::{START_MS, VirtualTime};
use crate::unit::{Letter, Unit};
use crate::wire::Wire;

pub(crate) use end::first_difference;

/// How often the server takes a turn when nothing happens: so soon it notices a clock that was set.
const IDLE_TURN_MS: i64 = 10_000;
/// How long it waits after the journal refused a batch.
const COMMIT_AGAIN_MS: i64 = 500;
/// After how long the server notices that a connection is gone.
const SERVER_KEEPALIVE_MS: i64 = 45_000;
/// After how long a controller notices.
const UNIT_KEEPALIVE_MS: i64 = 30_000;
/// How long after its start the server gives controllers to be there.
const PRESENCE_GRACE: Duration = Duration::from_secs(60);
const DAY_MS: usize = 86_400_000;

/// Something that will happen.
#[derive(Debug)]
enum Ev {
    Tick(usize),
    /// A publish arrives at the server.
    Up(usize, u64, Letter),
    /// The acknowledgement of a publish arrives at the controller.
    Puback(usize, u64, u64),
    /// A message arrives at the controller.
    Down(usize, u64, Bytes),
    Connect(usize),
    ServerNotices(usize, u64),
    UnitNotices(usize, u64),
    Turn,
    Start,
    GoesOn,
    Strike(Strike),
    Wish(usize),
    File,
    Snapshot,
    Look,
}

/// Something goes wrong.
#[derive(Debug, Clone, Copy)]
enum Strike {
    Partition(usize),
    Reboot(usize),
    QueueLoss(usize),
    Crash,
    ClockStep,
    Sensor(usize),
    Device(usize),
    /// A controller's clock runs away for one message.
    FutureReading(usize),
    /// Somebody switches a device at its machine: one that chance chooses, or that one.
    Hand(usize, Option<usize>),
}

/// Whose chance decides.
#[derive(Debug, Clone, Copy)]
enum Chance {
    Everybody,
    Farm(usize),
    Hands(usize),
}

/// A farm in the world.
struct FarmState {
    plan: FarmPlan,
    field: Field,
    /// Everything that chance decides about this farm, so that another farm beside it changes nothing.
    dice: Dice,
    /// What chance decides about people at its machines.
    hands: Dice,
    wishes: VecDeque<InputKind>,
}

/// What was counted in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Turns of the server.
    pub turns: u64,
    /// Publishes that arrived at it.
    pub publishes: u64,
    /// Events of the engines.
    pub events: u64,
    /// Commands that it sent, resends and renewals among them.
    pub sent: u64,
    /// Crashes.
    pub crashes: u64,
    /// Servers that stood still while another one took over.
    pub takeovers: u64,
    /// Things that checkers looked at.
    pub looked: u64,
}

impl Sum for Totals {
    fn sum<I: Iterator<Item = Self>>(runs: I) -> Self {
        runs.fold(Self::default(), |sum, run| Self {
            turns: sum.turns + run.turns,
            publishes: sum.publishes + run.publishes,
            events: sum.events + run.events,
            sent: sum.sent + run.sent,
            crashes: sum.crashes + run.crashes,
            takeovers: sum.takeovers + run.takeovers,
            looked: sum.looked + run.looked,
        })
    }
}

/// How a run differs from the usual.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The farms.
    pub farms: Vec<FarmPlan>,
    /// A seed for each farm's own chances.
    pub farm_seeds: Vec<u64>,
    /// What goes wrong.
    pub rates: Rates,
    /// For what chance decides about the server.
    pub seed: u64,
    /// How long it goes on, in milliseconds.
    pub span_ms: i64,
    /// Where the journal is; none is in memory.
    pub folder: Option<std::path::PathBuf>,
    /// Crashes come between turns only, so that which turns there are makes no difference.
    pub clean_crashes: bool,
}

/// The world.
pub struct World {
    /// The checkers.
    pub checks: Checks,
    /// What was counted.
    pub totals: Totals,
    time: Arc<VirtualTime>,
    queue: BTreeMap<(i64, u64), Ev>,
    order: u64,
    dice: Dice,
    /// What chance decides about the journal.
    journal: Dice,
    rates: Rates,
    wire: Wire,
    config: ServerConfig,
    folder: Option<std::path::PathBuf>,
    server: Option<Server>,
    /// The one that was at work before it and does not know yet that it is not.
    first: Option<takeover::First>,
    conns: u64,
    farms: Vec<FarmState>,
    /// The controllers.
    pub units: Vec<Unit>,
    receipts: Vec<(usize, u64, Letter, Receipt)>,
    /// Publishes that the transport was told are safe: controller and number.
    pub acknowledged: Vec<(usize, Letter)>,
    /// The last telemetry that each controller delivered since the server's start.
    last_telemetry: BTreeMap<usize, u64>,
    /// How often the server may take each message: what it says, and how often that was delivered.
    deliveries: BTreeMap<String, u64>,
    answers: Vec<(usize, InputKind, Answer<Vec<Event>>)>,
    /// What the journal says when it is over: its entries, and every event that follows from them.
    told: Option<(Box<end::Journal>, Folded)>,
    turn_at: Option<i64>,
    /// What reached the server, if that is recorded; the last entry is the turn to come.
    log: Option<(Log, Vec<Work>)>,
    crash_next: bool,
    /// What was due before the last turn and is due after it.
    left_due: Option<Timestamp>,
    clean_crashes: bool,
    /// Since when the server runs.
    started_ms: i64,
    /// Whether the server's clock was ever set.
    pub clock_stepped: bool,
}

impl World {
    /// A world in which the server has just been started and knows its farms.
    ///
    /// # Errors
    /// When the server does not start.
    pub fn new(setup: &Setup) -> Result<Self, String> {
        let time = Arc::new(VirtualTime::default());
        let wire = Wire::default();
        let config = plan::server(
            &setup.farms,
            setup.folder.as_deref(),
            &time,
            &wire,
            PRESENCE_GRACE,
        )?;
        let mut world = Self {
            checks: Checks::default(),
            totals: Totals::default(),
            time,
            queue: BTreeMap::new(),
            order: 0,
            dice: Dice::new(setup.seed ^ 0x5E4E4),
            journal: Dice::new(setup.seed ^ 0x10C),
            rates: setup.rates,
            wire,
            config,
            folder: setup.folder.clone(),
            server: None,
            first: None,
            conns: 0,
            farms: Vec::new(),
            units: Vec::new(),
            receipts: Vec::new(),
            acknowledged: Vec::new(),
            last_telemetry: BTreeMap::new(),
            deliveries: BTreeMap::new(),
            told: None,
            answers: Vec::new(),
            turn_at: None,
            log: None,
            crash_next: false,
            left_due: None,
            clean_crashes: setup.clean_crashes,
            started_ms: START_MS,
            clock_stepped: false,
        };
        for (n, (plan, seed)) in setup.farms.iter().zip(&setup.farm_seeds).enumerate() {
            let mut field = Field::new(*seed, &plan.levels);
            field.advance(START_MS, 0.0);
            world.farms.push(FarmState {
                field,
                dice: Dice::new(*seed ^ 0xFA4),
                hands: Dice::new(*seed ^ 0x4A4D),
                wishes: plan.wishes.clone().into(),
                plan: plan.clone(),
            });
            for controller in &plan.controllers {
                world.units.push(Unit::new(n, controller.clone(), START_MS));
            }
        }
        let mut server = Server::start(&world.config).map_err(|e| e.to_string())?;
        for farm in &world.farms {
            // Answered in the first turn; a farm that is not taken is missed at once.
            drop(server.add_farm(farm.plan.document.clone()));
        }
        server.turn(None);
        world.server = Some(server);
        world.schedule_all(setup.span_ms);
        Ok(world)
    }

    fn schedule_all(&mut self, span_ms: i64) {
        for unit in 0..self.units.len() {
            let farm = self.units[unit].farm;
            let wait = self.farms[farm].dice.between(10, 3_000);
            self.at(START_MS + wait, Ev::Connect(unit));
            for (count, strike) in [
                (self.rates.partitions, Strike::Partition(unit)),
                (self.rates.reboots, Strike::Reboot(unit)),
                (self.rates.queue_losses, Strike::QueueLoss(unit)),
                (self.rates.sensor_faults, Strike::Sensor(unit)),
                (self.rates.device_faults, Strike::Device(unit)),
                (self.rates.sensor_faults, Strike::FutureReading(unit)),
            ] {
                self.scatter(Chance::Farm(farm), count, span_ms, |_| Ev::Strike(strike));
            }
            self.scatter(Chance::Hands(farm), self.rates.hands, span_ms, |_| {
                Ev::Strike(Strike::Hand(unit, None))
            });
        }
        for farm in 0..self.farms.len() {
            self.scatter(Chance::Farm(farm), self.rates.wishes, span_ms, |_| {
                Ev::Wish(farm)
            });
        }
        self.scatter(Chance::Everybody, self.rates.crashes, span_ms, |_| {
            Ev::Strike(Strike::Crash)
        });
        self.scatter(Chance::Everybody, self.rates.clock_steps, span_ms, |_| {
            Ev::Strike(Strike::ClockStep)
        });
        let mut at = START_MS;
        while at < START_MS + span_ms {
            at += self.dice.between(200_000, 2_000_000);
            self.at(at, Ev::Snapshot);
        }
        self.at(START_MS + 1_000, Ev::File);
        self.at(START_MS + 7_000, Ev::Look);
        self.at(START_MS, Ev::Turn);
        self.turn_at = Some(START_MS);
    }

    /// So many a day, anywhere in the span.
    fn scatter(&mut self, chance: Chance, a_day: usize, span_ms: i64, what: impl Fn(usize) -> Ev) {
        let span = usize::try_from(span_ms).unwrap_or(0);
        let dice = match chance {
            Chance::Everybody => &mut self.dice,
            Chance::Farm(farm) => &mut self.farms[farm].dice,
            Chance::Hands(farm) => &mut self.farms[farm].hands,
        };
        let wanted = a_day * span;
        let count = wanted / DAY_MS + usize::from(dice.below(DAY_MS) < wanted % DAY_MS);
        let instants: Vec<i64> = (0..count)
            .map(|_| START_MS + dice.between(1, span_ms))
            .collect();
        for (n, at) in instants.into_iter().enumerate() {
            self.at(at, what(n));
        }
    }

    fn at(&mut self, at: i64, what: Ev) {
        self.order += 1;
        let at = at.max(self.time.now_ms());
        self.queue.insert((at, self.order), what);
    }

    /// From now on what reaches the server is recorded.
    pub fn record(&mut self) {
        self.log = Some((Vec::new(), Vec::new()));
    }

    /// What was recorded.
    #[must_use]
    pub fn recorded(&mut self) -> Log {
        self.log.take().map_or_else(Vec::new, |(log, _)| log)
    }

    fn note(&mut self, work: Work) {
        if let Some((_, next)) = &mut self.log {
            next.push(work);
        }
    }

    /// The true time.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    fn when(&self) -> When {
        When {
            now_ms: self.now_ms(),
            at_ms: self.now_ms() - START_MS,
            engine_ms: self.server.as_ref().map_or(0, |s| s.now().as_millis()),
        }
    }

    /// Lets time pass until an instant, or until something is wrong.
    pub fn run_until(&mut self, until_ms: i64) {
        while self.checks.violations.is_empty()
            && let Some(((at, _), _)) = self.queue.first_key_value()
            && *at <= until_ms
            && let Some(((at, _), ev)) = self.queue.pop_first()
        {
            self.time.pass_to(at);
            self.handle(ev);
        }
        self.time.pass_to(until_ms);
    }

    fn handle(&mut self, ev: Ev) {
        match ev {
            Ev::Tick(unit) => self.tick(unit),
            Ev::Up(unit, conn, letter) => self.arrives(unit, conn, letter),
            Ev::Puback(unit, conn, id) => {
                if self.units[unit].conn == Some(conn) {
                    self.units[unit].is_safe(id);
                    self.pump(unit);
                }
            }
            Ev::Down(unit, conn, payload) => self.commanded(unit, conn, &payload),
            Ev::Connect(unit) => self.connect(unit),
            Ev::ServerNotices(unit, conn) => {
                if self.units[unit].server_conn == Some(conn) {
                    self.server_loses(unit);
                }
            }
            Ev::UnitNotices(unit, conn) => {
                if self.units[unit].conn == Some(conn) {
                    self.unit_loses(unit);
                }
            }
            Ev::Turn => {
                if self.turn_at == Some(self.now_ms()) {
                    self.turn_at = None;
                    self.turn();
                }
            }
            Ev::Start => self.start(),
            Ev::GoesOn => self.first_goes_on(),
            Ev::Strike(strike) => self.strike(strike),
            Ev::Wish(farm) => self.wish(farm),
            Ev::File => {
                if let Some(server) = &mut self.server {
                    server.file();
                }
                let wait = self.dice.between(1_000, 60_000);
                self.at(self.now_ms() + wait, Ev::File);
            }
            Ev::Snapshot => {
                if let Some(server) = &mut self.server {
                    server.snapshot();
                }
            }
            Ev::Look => {
                self.look();
                self.at(self.now_ms() + 30_000, Ev::Look);
            }
        }
    }
}
