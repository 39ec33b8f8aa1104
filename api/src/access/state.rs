//! What the running api holds. Handlers see of it only what belongs to no farm.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use harit_engine::verdict::FarmVerdict;
use harit_engine::{Engine, FarmId};
use harit_ingest::mqtt::{BrokerProbe, Principal, Uplink, Visitors};
use harit_ingest::{AdmitError, Hub};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Mutex, MutexGuard};

use super::budget::Budgets;
use super::known_stops::KnownStops;
use super::named::Elsewhere;
use super::trials::Trials;
use crate::almanac::AlmanacKeeper;
use crate::auth::{Accounts, Limit, Throttle};
use crate::config::{ApiConfig, Kick, Probe};
use crate::delivery::{Channel, GatewayError, Gateways, Ways};
use crate::effects::EffectWatch;
use crate::error::ApiError;
use crate::lease_tests::LeaseTests;
use crate::log;
use crate::notifications::Notifier;
use crate::ranges::{KnownRanges, RangeKeeper, Ranges};
use crate::records::{Message, Receipt, Records, ReservoirNames};
use crate::weather::Weather;

/// How many farms' documents can be edited at one time; farms share them by a hash.
const EDITORS: usize = 64;
/// Subscriptions of a user a minute, over all sockets.
const SUBSCRIPTIONS: u32 = 60;
/// Messages that a user sends to themselves, an hour.
const TESTS: u32 = 5;
/// Messages of a controller by HTTP a minute: what sends more has MQTT.
const MESSAGES: u32 = 600;
/// Stops of a user a minute, with asking after them every second: far more than anybody needs, and counted by themselves.
const STOPS: u32 = 120;

/// Everything that requests need, shared.
#[derive(Clone)]
pub struct AppState(Arc<Inner>);

struct Inner {
    config: ApiConfig,
    records: Records,
    hub: Hub,
    accounts: Accounts,
    subscriptions: Throttle,
    editors: [Mutex<()>; EDITORS],
    budgets: Budgets,
    commands: Throttle,
    stops: Throttle,
    tests: Throttle,
    intake: Throttle,
    known_stops: KnownStops,
    lease_tests: LeaseTests,
    trials: Trials,
    ranges: KnownRanges,
    weather: Arc<dyn Weather>,
    metrics: Option<PrometheusHandle>,
    mqtt_up: Probe,
    kick: OnceLock<Kick>,
    visitors: OnceLock<Visitors>,
    passed_on: OnceLock<Visitors>,
    elsewhere: OnceLock<Arc<dyn Elsewhere>>,
    brokers: OnceLock<Vec<BrokerProbe>>,
}

impl AppState {
    /// Puts the parts together. `mqtt_up` says whether controllers can reach the server; without `metrics`, `/metrics` is
    /// not there.
    #[must_use]
    pub fn new(
        config: ApiConfig,
        records: Records,
        hub: Hub,
        weather: Arc<dyn Weather>,
        metrics: Option<PrometheusHandle>,
        mqtt_up: Probe,
    ) -> Self {
        let is_demo = config.demo.is_some();
        let ways = Ways::new(&config.delivery, is_demo, config.public_url.clone());
        let records = records
            .codes_in_log(is_demo || config.codes_in_log)
            .sending_by(ways);
        let accounts = Accounts::new(records.clone(), &config);
        let subscriptions = Throttle::new(Limit::per_minute(SUBSCRIPTIONS));
        let budgets = Budgets::new(&config);
        let commands = Throttle::new(Limit::per_minute(config.commands_per_device));
        Self(Arc::new(Inner {
            config,
            records,
            hub,
            accounts,
            subscriptions,
            editors: std::array::from_fn(|_| Mutex::new(())),
            budgets,
            commands,
            stops: Throttle::new(Limit::per_minute(STOPS)),
            tests: Throttle::new(Limit::per_hour(TESTS)),
            intake: Throttle::new(Limit::per_minute(MESSAGES)),
            known_stops: KnownStops::default(),
            lease_tests: LeaseTests::default(),
            trials: Trials::default(),
            ranges: KnownRanges::default(),
            weather,
            metrics,
            mqtt_up,
            kick: OnceLock::new(),
            visitors: OnceLock::new(),
            passed_on: OnceLock::new(),
            elsewhere: OnceLock::new(),
            brokers: OnceLock::new(),
        }))
    }

    /// What ends a controller's connection. Without it (a broker has the connections) a controller that was taken away is
    /// turned away when it connects again.
    #[must_use]
    pub fn kicking(self, kick: Kick) -> Self {
        let _first = self.0.kick.set(kick);
        self
    }

    /// Tells, beside everything else that makes it ready, which of these brokers are connected.
    #[must_use]
    pub fn with_brokers(self, brokers: Vec<BrokerProbe>) -> Self {
        let _first = self.0.brokers.set(brokers);
        self
    }

    /// Takes MQTT over WebSocket into an endpoint. Without it there is none.
    #[must_use]
    pub fn taking(self, visitors: Visitors) -> Self {
        let _first = self.0.visitors.set(visitors);
        self
    }

    /// Takes connections of MQTT that another server passes on into an endpoint.
    #[must_use]
    pub fn taking_passed_on(self, visitors: Visitors) -> Self {
        let _first = self.0.passed_on.set(visitors);
        self
    }

    /// Where connections go that another server passes on.
    pub(crate) fn passed_on(&self) -> Option<&Visitors> {
        self.0.passed_on.get()
    }

    /// Has what is answered to messages of other servers' farms carried out by them.
    pub(crate) fn passing(&self, elsewhere: Arc<dyn Elsewhere>) {
        let _first = self.0.elsewhere.set(elsewhere);
    }

    /// What carries out answers for a farm, where that is another server's.
    pub(crate) fn elsewhere(&self, farm: &FarmId) -> Option<&Arc<dyn Elsewhere>> {
        self.0.elsewhere.get().filter(|_| !self.has(farm))
    }

    /// Where MQTT over WebSocket goes.
    pub(crate) fn visitors(&self) -> Option<&Visitors> {
        self.0.visitors.get()
    }

    /// Ends the connections of a controller or an integration.
    pub(super) fn kick(&self, principal: &Principal) {
        if let Some(kick) = self.0.kick.get() {
            kick(principal);
        }
    }

    /// Whether the connections of MQTT are this server's, and so its accounts.
    pub(crate) fn has_endpoint(&self) -> bool {
        self.0.kick.get().is_some()
    }

    pub(crate) fn config(&self) -> &ApiConfig {
        &self.0.config
    }

    pub(crate) fn accounts(&self) -> &Accounts {
        &self.0.accounts
    }

    /// How often a user may subscribe.
    pub(crate) fn subscriptions(&self) -> &Throttle {
        &self.0.subscriptions
    }

    /// How often a user may ask for something, by kind.
    pub(super) fn budgets(&self) -> &Budgets {
        &self.0.budgets
    }

    /// How often a device may be commanded by hand.
    pub(super) fn commands(&self) -> &Throttle {
        &self.0.commands
    }

    /// How often a user may stop. Nothing else takes from it.
    pub(super) fn stops(&self) -> &Throttle {
        &self.0.stops
    }

    /// How often a user may send themselves a message.
    pub(super) fn tests(&self) -> &Throttle {
        &self.0.tests
    }

    /// How often a controller may send a message by HTTP.
    pub(super) fn intake(&self) -> &Throttle {
        &self.0.intake
    }

    /// Where messages of controllers go.
    pub(super) fn uplink(&self) -> Arc<dyn Uplink> {
        self.0.hub.uplink()
    }

    pub(super) fn lease_tests(&self) -> &LeaseTests {
        &self.0.lease_tests
    }

    pub(super) fn trials(&self) -> &Trials {
        &self.0.trials
    }

    pub(super) fn known_stops(&self) -> &KnownStops {
        &self.0.known_stops
    }

    pub(crate) fn metrics(&self) -> Option<&PrometheusHandle> {
        self.0.metrics.as_ref()
    }

    pub(crate) fn mqtt_up(&self) -> bool {
        (self.0.mqtt_up)()
    }

    /// The brokers that are not connected.
    pub(crate) fn brokers_down(&self) -> Vec<&str> {
        let all = self.0.brokers.get().into_iter().flatten();
        all.filter(|(_, is_up)| !is_up())
            .map(|(name, _)| name.as_str())
            .collect()
    }

    pub(crate) async fn records_up(&self) -> bool {
        self.0.records.ping().await.is_ok()
    }

    pub(crate) fn pipeline(&self) -> harit_ingest::Health {
        self.0.hub.health()
    }

    /// The latest messages, on a demo.
    pub(crate) async fn demo_outbox(&self, limit: i64) -> Result<Vec<Message>, ApiError> {
        if self.0.config.demo.is_none() {
            return Err(ApiError::not_found());
        }
        Ok(self.0.records.outbox(limit).await?)
    }

    /// What happens in all farms: for the live connection, which hands it on by farm.
    pub(crate) fn live(&self) -> tokio::sync::broadcast::Receiver<Arc<harit_ingest::LiveEvent>> {
        self.0.hub.subscribe()
    }

    /// Takes over into the audit log what people changed just before the server stopped.
    pub(crate) async fn take_authored(&self) {
        let Inner { records, hub, .. } = &*self.0;
        for farm in hub.farms() {
            // what fails is tried again by the next change of the farm, and by who reads its log
            let _later = log::take_authored(records, hub, &farm).await;
        }
    }

    /// Keeps the farms' almanacs.
    pub(crate) fn almanac_keeper(&self) -> AlmanacKeeper {
        AlmanacKeeper::new(self.0.records.clone(), self.0.hub.clone())
    }

    /// Keeps what the farms' crops want, and what they have not.
    pub(crate) fn range_keeper(&self) -> RangeKeeper {
        let Inner {
            records,
            hub,
            ranges,
            ..
        } = &*self.0;
        RangeKeeper::new(records.clone(), hub.clone(), ranges.clone())
    }

    /// What the farms' crops want, as it was read last.
    pub(super) fn ranges(&self) -> &KnownRanges {
        &self.0.ranges
    }

    /// Tells the farms' people what happens.
    pub(crate) fn notifier(&self) -> Notifier {
        let grace = self.0.config.quiet_at_start;
        Notifier::new(self.0.records.clone(), self.0.hub.clone(), grace)
    }

    /// Looks whether what devices do has an effect.
    pub(crate) fn effect_watch(&self) -> EffectWatch {
        EffectWatch::new(self.0.records.clone(), self.0.hub.clone())
    }

    /// Takes what a gateway says of a message; `false` where that is no news.
    pub(crate) async fn take_receipt(
        &self,
        channel: Channel,
        receipt: &Receipt,
        now: i64,
    ) -> Result<bool, ApiError> {
        Ok(self.0.records.take_receipt(channel, receipt, now).await?)
    }

    /// What sends messages, and the records that it sends from.
    pub(crate) fn gateways(&self) -> Result<(Gateways, Records), GatewayError> {
        let Inner {
            config, records, ..
        } = &*self.0;
        let gateways = Gateways::of(
            &config.delivery,
            config.public_url.as_deref(),
            Some(records.push_key()),
        )?;
        Ok((gateways, records.clone()))
    }

    /// What changes in the farms' records: for the live connection, likewise.
    pub(crate) fn record_changes(&self) -> crate::records::Changes {
        self.0.records.changes()
    }

    /// The farms whose audit log has something new: for the live connection.
    pub(crate) fn log_changes(&self) -> crate::records::Changes {
        self.0.records.log_changes()
    }

    /// Changes whenever access may have been taken away from somebody.
    pub(crate) fn access_changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.0.records.access_changes()
    }

    /// How a farm stands: for the live connection, which tells it to the farm's own rooms.
    pub(crate) async fn verdict(&self, farm: &FarmId) -> Result<Arc<FarmVerdict>, AdmitError> {
        self.0.hub.verdict(farm).await
    }

    /// Looks at a farm with the names of its reservoirs: for the live connection, likewise.
    pub(crate) async fn look<R: Send + 'static>(
        &self,
        farm: &FarmId,
        question: impl FnOnce(&Engine, &ReservoirNames, &Ranges) -> R + Send + 'static,
    ) -> Result<R, ApiError> {
        let records = self.0.records.of_farm(farm.clone());
        let names = records.reservoir_names().await?;
        let ranges = self.0.ranges.get(farm);
        let answer = self
            .0
            .hub
            .read(farm, move |engine| question(engine, &names, &ranges));
        Ok(answer.await?)
    }

    pub(super) fn records(&self) -> &Records {
        &self.0.records
    }

    pub(super) fn hub(&self) -> &Hub {
        &self.0.hub
    }

    /// Whoever edits a farm's documents holds this from reading one to having it changed, so that no edit is lost.
    pub(super) async fn editing(&self, farm: &FarmId) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        farm.hash(&mut hasher);
        let n = hasher.finish() % EDITORS as u64;
        self.0.editors[usize::try_from(n).unwrap_or(0)].lock().await
    }

    pub(super) fn weather(&self) -> &dyn Weather {
        &*self.0.weather
    }
}

impl fmt::Debug for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppState")
            .field("config", &self.0.config)
            .finish_non_exhaustive()
    }
}
