//! Whose the messages of a broker are: what is subscribed, what was granted, and which accounts are there by this connection.
//!
//! A subscription is made once its account is registered, and ended when that is removed or blocked. An account is there while the
//! connection is and everything of it is subscribed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use harit_protocol::Mac;

use super::client::Client;
use super::{BrokerConfig, Shared, SideEvent, Subscription};
use crate::mqtt::permission::matches;
use crate::mqtt::{Principal, Uplink};

/// What a connection to a broker has.
pub(super) struct Presence<'a> {
    config: &'a BrokerConfig,
    connected: bool,
    /// Whether the [`super::Side`] heard of this connection.
    side_told: bool,
    /// What was asked for and is not answered, in order.
    asked: VecDeque<Vec<String>>,
    granted: BTreeSet<String>,
    here: BTreeMap<Mac, Principal>,
}

impl<'a> Presence<'a> {
    pub(super) fn new(config: &'a BrokerConfig) -> Self {
        Self {
            config,
            connected: false,
            side_told: false,
            asked: VecDeque::new(),
            granted: BTreeSet::new(),
            here: BTreeMap::new(),
        }
    }

    /// The subscription that has a topic: the first of those that match.
    pub(super) fn subscription(&self, topic: &str) -> Option<&'a Subscription> {
        let mut all = self.config.subscriptions.iter();
        all.find(|s| matches(&s.filter, topic))
    }

    /// A new connection. Whether the broker kept the session or not: to subscribe again changes nothing, and brings what it keeps.
    pub(super) fn connected(&mut self, shared: &Shared, client: &Client, uplink: &dyn Uplink) {
        self.lost(uplink);
        self.connected = true;
        self.look(shared, client, uplink);
    }

    /// The connection is gone, and with it who was there by it.
    pub(super) fn lost(&mut self, uplink: &dyn Uplink) {
        self.connected = false;
        self.side_told = false;
        self.asked.clear();
        self.granted.clear();
        for principal in std::mem::take(&mut self.here).into_values() {
            uplink.disconnected(&principal);
        }
    }

    /// Looks which accounts there are by now: subscribes for those that are new, ends what was for others.
    pub(super) fn look(&mut self, shared: &Shared, client: &Client, uplink: &dyn Uplink) {
        if !self.connected {
            return;
        }
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        if self.config.is_farms_own() {
            wanted.extend(self.config.filters());
        }
        let side = self.config.side.iter();
        wanted.extend(side.flat_map(|side| side.filters.clone()));
        for Subscription { filter, account } in &self.config.subscriptions {
            let now = uplink.account(account);
            if self
                .here
                .get(account)
                .is_some_and(|was| now.as_ref() != Some(was))
                && let Some(was) = self.here.remove(account)
            {
                uplink.disconnected(&was);
            }
            if now.is_some() {
                wanted.insert(filter.clone());
            }
        }
        for filter in self.granted.difference(&wanted) {
            if client.unsubscribe(filter).is_err() {
                shared.reset.notify_one();
            }
        }
        self.granted.retain(|filter| wanted.contains(filter));
        let asked = |filter: &String| self.asked.iter().any(|all| all.contains(filter));
        let new = wanted.into_iter();
        let new = new.filter(|filter| !self.granted.contains(filter) && !asked(filter));
        let new: Vec<String> = new.collect();
        if new.is_empty() {
            self.arrive(shared, uplink);
        } else if client.subscribe(&new).is_ok() {
            self.asked.push_back(new);
        } else {
            shared.reset.notify_one();
        }
    }

    /// The answer to what was asked first.
    pub(super) fn answered(&mut self, answers: &[bool], shared: &Shared, uplink: &dyn Uplink) {
        let asked = self.asked.pop_front().unwrap_or_default();
        let (yes, no): (Vec<_>, Vec<_>) = asked
            .into_iter()
            .zip(answers)
            .partition(|(_, granted)| **granted);
        if !no.is_empty() {
            let filters: Vec<_> = no.into_iter().map(|(filter, _)| filter).collect();
            tracing::error!(
                broker = shared.name,
                ?filters,
                "mqtt broker: refuses the subscriptions: check Harit's permissions there"
            );
            shared.reset.notify_one();
            return;
        }
        self.granted
            .extend(yes.into_iter().map(|(filter, _)| filter));
        self.arrive(shared, uplink);
    }

    /// Whose subscriptions are all granted is there.
    fn arrive(&mut self, shared: &Shared, uplink: &dyn Uplink) {
        if !self.asked.is_empty() {
            return;
        }
        if !shared.is_up() {
            shared.set_up(true);
            tracing::info!(
                broker = shared.name,
                "mqtt broker: connected and subscribed"
            );
        }
        for Subscription { account, .. } in &self.config.subscriptions {
            if !self.here.contains_key(account)
                && let Some(principal) = uplink.account(account)
            {
                uplink.connected(&principal);
                self.here.insert(*account, principal);
            }
        }
        if let Some(side) = &self.config.side
            && !std::mem::replace(&mut self.side_told, true)
        {
            (side.told)(SideEvent::Connected);
        }
    }
}
