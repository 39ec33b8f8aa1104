//! What is registered: reading the documents against it, and changing it.

use serde_json::Value;

use crate::document::{
    self, AlertDoc, Condition, Malformed, Place, Polyhouse, RuleDoc, list, malformed, min_samples,
    text, whole,
};
use crate::limits::{groups, hours_of_groups};
use crate::mutation::Mutation;
use crate::program::{self, Trigger};
use crate::setpoint::setpoints;
use crate::state::{Device, Model, Sensor};
use crate::tree::Node;

/// The causes of commands that no rule may be named after.
const RESERVED: [&str; 8] = [
    "rest",
    "manual",
    "lock",
    "safety",
    "max_on",
    "limit",
    "stop",
    "corrected",
];

impl Model {
    pub(crate) fn place(&self, scope: &Value) -> Result<Place, Malformed> {
        match text(scope, "type")? {
            "farm" => Ok(Place::Farm),
            "polyhouse" => {
                let id = text(scope, "polyhouseId")?;
                match self.polyhouses.iter().any(|p| p.id == id) {
                    true => Ok(Place::Polyhouse(id.into())),
                    false => malformed(format!("unknown polyhouse {id}")),
                }
            }
            "zone" => {
                let id = text(scope, "zoneId")?;
                match self
                    .polyhouses
                    .iter()
                    .any(|p| p.zones.iter().any(|z| z == id))
                {
                    true => Ok(Place::Zone(id.into())),
                    false => malformed(format!("unknown zone {id}")),
                }
            }
            other => malformed(format!("unknown scope {other}")),
        }
    }

    pub(crate) fn place_or(&self, scope: &Value, default: &Place) -> Result<Place, Malformed> {
        if scope.is_null() {
            Ok(default.clone())
        } else {
            self.place(scope)
        }
    }

    pub(crate) fn read_rule(&self, doc: &Value) -> Result<RuleDoc, Malformed> {
        let rule = self.rule_doc(doc)?;
        self.check_rule(&rule)?;
        Ok(rule)
    }

    /// A rule as its document says it; what it names may be missing.
    pub(crate) fn rule_doc(&self, doc: &Value) -> Result<RuleDoc, Malformed> {
        if RESERVED.contains(&text(doc, "id")?) {
            return malformed(format!("{} is a cause of its own", doc["id"]));
        }
        let place = self.place(&doc["scope"])?;
        let (trigger, trigger_ms, trigger_place) = self.trigger(&doc["trigger"], &place)?;
        let stop = match &doc["stop_condition"] {
            Value::Null => None,
            stop if program::is_tree(stop) => Some(self.whole_tree(stop, &place)?),
            stop => {
                let place = self.place_or(&stop["scope"], &trigger_place)?;
                let length = whole(stop, "duration_sec", Some(300), 1)? * 1_000;
                Some((Node::leaf(document::condition(stop, place)?), length))
            }
        };
        let rule = RuleDoc {
            id: text(doc, "id")?.into(),
            mode: doc["mode"].as_str().unwrap_or("auto").into(),
            deployed: doc["deployed"].as_bool().unwrap_or(false),
            priority: whole(doc, "priority", Some(5), 1)?,
            trigger_ms,
            run_ms: Self::run_ms(doc, &trigger)?,
            trigger,
            stop,
            actions: list(doc, "actions")
                .iter()
                .map(|a| self.action(a, &place))
                .collect::<Result<_, _>>()?,
            place,
            on_signal_lost: doc["on_signal_lost"].as_str().unwrap_or("stop").into(),
        };
        Ok(rule)
    }

    /// A trigger, how long it is to hold, and the place that a stop condition of version 1 has from it.
    fn trigger(&self, doc: &Value, place: &Place) -> Result<(Trigger, i64, Place), Malformed> {
        if let Some(schedule) = program::given(doc, "schedule") {
            let schedule = self.schedule(schedule, place)?;
            return Ok((Trigger::Schedule(schedule), 0, place.clone()));
        }
        if program::is_tree(doc) {
            let (tree, length) = self.whole_tree(doc, place)?;
            return Ok((Trigger::Tree(tree), length, place.clone()));
        }
        let place = self.place_or(&doc["scope"], place)?;
        let condition = document::condition(doc, place.clone())?;
        let length = whole(doc, "duration_sec", Some(300), 1)? * 1_000;
        Ok((Trigger::Tree(Node::leaf(condition)), length, place))
    }

    pub(crate) fn check_rule(&self, rule: &RuleDoc) -> Result<(), Malformed> {
        let is_known = |word: &str, words: [&str; 2]| words.contains(&word);
        let words = is_known(&rule.mode, ["auto", "disabled"])
            && is_known(&rule.on_signal_lost, ["hold", "stop"]);
        if rule.priority > 10 || !words {
            return malformed(format!(
                "priority, mode or on_signal_lost of rule {}",
                rule.id
            ));
        }
        self.check_leaves(rule)?;
        self.check_setpoints_of(rule)?;
        for curve in rule.actions.iter().filter_map(|a| a.curve.as_ref()) {
            self.check_condition(&curve.signal, &rule.id)?;
        }
        match rule
            .actions
            .iter()
            .find(|a| !self.devices.contains_key(&a.device))
        {
            Some(action) => malformed(format!(
                "rule {} names the unknown device {}",
                rule.id, action.device
            )),
            None => Ok(()),
        }
    }

    pub(crate) fn check_condition(&self, condition: &Condition, of: &str) -> Result<(), Malformed> {
        if self.sensors_of(condition).is_empty() {
            return malformed(format!("no sensor of type {} for {of}", condition.kind));
        }
        Ok(())
    }

    /// An alert, and when its document says it was last notified.
    pub(crate) fn read_alert(&self, doc: &Value) -> Result<(AlertDoc, Option<i64>), Malformed> {
        let place = self.place_or(&doc["scope"], &Place::Farm)?;
        let conditions = list(doc, "conditions")
            .iter()
            .map(|c| document::alert_condition(c, place.clone()));
        let alert = AlertDoc {
            id: text(doc, "id")?.into(),
            evidence: document::evidence(doc)?,
            is_active: doc["isActive"].as_bool().unwrap_or(true),
            repeat_ms: document::alert_repeat_ms(doc)?,
            any: doc["match"].as_str() == Some("any"),
            hold_ms: whole(doc, "hold_sec", Some(0), 0)? * 1_000,
            clear_ms: whole(doc, "clear_sec", Some(0), 0)? * 1_000,
            conditions: conditions.collect::<Result<_, _>>()?,
            only_if: (program::given(doc, "only_if"))
                .map(|node| self.tree(node, &place))
                .transpose()?,
        };
        self.check_alert(&alert)?;
        Ok((alert, doc["lastTriggered"].as_i64()))
    }

    fn check_alert(&self, alert: &AlertDoc) -> Result<(), Malformed> {
        (alert.conditions.iter()).try_for_each(|c| self.check_condition(c, &alert.id))?;
        self.check_only_if(alert)
    }

    pub(crate) fn register(&mut self, change: &Value) -> Result<(), Malformed> {
        let Some((kind, what)) = change.as_object().and_then(|o| o.iter().next()) else {
            return malformed("an empty change");
        };
        let id = || {
            what.as_str()
                .ok_or_else(|| Malformed(format!("no id: {what}")))
        };
        match kind.as_str() {
            "put_polyhouse" => {
                let zones = list(what, "zones")
                    .iter()
                    .map(|z| text(z, "id").map(Into::into));
                let house = Polyhouse {
                    id: text(what, "id")?.into(),
                    zones: zones.collect::<Result<_, _>>()?,
                };
                self.polyhouses.retain(|p| p.id != house.id);
                self.polyhouses.push(house);
            }
            "put_sensor" => {
                let doc = document::sensor(what, self.place(&what["scope"])?)?;
                match self.sensors.get_mut(&doc.id) {
                    Some(sensor) if sensor.doc.kind == doc.kind => sensor.doc = doc,
                    _ => _ = self.sensors.insert(doc.id.clone(), Sensor::new(doc)),
                }
            }
            "delete_sensor" => _ = self.sensors.remove(id()?),
            "put_device" => {
                let place = self.place(&what["scope"])?;
                let doc = document::device(what, place)?;
                match self.devices.get_mut(&doc.id) {
                    Some(device) if device.doc.kind != doc.kind => {
                        return malformed(format!("device {} changes its type", doc.id));
                    }
                    Some(device) => {
                        if device.doc.rest != doc.rest {
                            self.touched.insert(doc.id.clone());
                        }
                        device.doc = doc;
                    }
                    None => _ = self.devices.insert(doc.id.clone(), Device::new(doc)),
                }
            }
            "delete_device" => _ = self.devices.remove(id()?),
            "settings" => {
                self.min_samples = min_samples(what)?;
                self.groups = groups(what)?;
                self.group_hours = hours_of_groups(what);
                self.setpoints = setpoints(what)?;
            }
            _ => return malformed(format!("unknown change {kind}")),
        }
        Ok(())
    }

    pub(crate) fn check_all(&self) -> Result<(), Malformed> {
        self.check_limits()?;
        self.check_setpoints()?;
        self.rules
            .values()
            .try_for_each(|r| self.check_rule(&r.doc))?;
        (self.alerts.values()).try_for_each(|a| self.check_alert(&a.doc))
    }

    /// The sensors that the conditions of each rule resolve to, and those of each alert.
    fn resolutions(&self) -> [Vec<(String, Vec<Vec<String>>)>; 2] {
        let of_rule = |doc: &RuleDoc| {
            let conditions = doc.trees().into_iter().flat_map(|(_, tree)| tree.signals());
            let curves = doc.actions.iter().filter_map(|a| a.curve.as_ref());
            let signals = conditions.chain(curves.map(|c| &c.signal));
            signals.map(|c| self.sensors_of(c)).collect()
        };
        let of_alert = |doc: &AlertDoc| {
            let signals = doc.conditions.iter().chain(doc.signals_of_only_if());
            signals.map(|c| self.sensors_of(c)).collect()
        };
        let rules = self
            .rules_in_order()
            .into_iter()
            .map(|id| (id.clone(), of_rule(&self.rules[&id].doc)));
        [
            rules.collect(),
            self.alerts
                .iter()
                .map(|(id, a)| (id.clone(), of_alert(&a.doc)))
                .collect(),
        ]
    }

    /// Changes what is registered; all changes were tried before on a copy.
    pub(crate) fn change_registry(&mut self, changes: &[Value]) {
        let [rules_before, alerts_before] = self.resolutions();
        let setpoints_before = self.setpoints.clone();
        for id in self.device_ids() {
            self.keep_ledger(&id);
        }
        for change in changes {
            let done = self.register(change);
            debug_assert!(done.is_ok(), "tried before: {done:?}");
        }
        self.find_steps();
        self.find_hours();
        self.touched.retain(|id| self.devices.contains_key(id));
        for id in self.device_ids() {
            self.begin_or_end(&id);
            // What flows from now on flows as the document says now.
            self.account(&id);
        }
        self.look_at_all_devices();
        let [rules_after, alerts_after] = self.resolutions();
        for (_, (id, _)) in rules_before
            .iter()
            .zip(&rules_after)
            .filter(|(before, after)| before != after)
        {
            self.deactivate_rule(id);
        }
        if self.mutation == Some(Mutation::SetpointChangeIsAnEdit) {
            for id in self.rules_in_order() {
                let named = self.rules[&id].doc.setpoints();
                let is_other = |id: &str| setpoints_before.get(id) != self.setpoints.get(id);
                if named.iter().any(|(setpoint, _)| is_other(setpoint)) {
                    self.deactivate_rule(&id);
                }
            }
        }
        // The page says this of rules only; alerts are taken to follow them.
        for (_, (id, _)) in alerts_before
            .iter()
            .zip(&alerts_after)
            .filter(|(before, after)| before != after)
        {
            self.restart_alert(id);
        }
        self.forget_what_is_gone();
        self.evaluate_all(None, true);
    }
}
