//! What can be told: each kind with what it says. Stored as JSON and put into words when it is read, so that names are those
//! of the time when it happened and the language is the reader's.

use std::fmt::Write;

use crate::audit::{Action, Verb};
use crate::effects::Failing;
use crate::incidents::IncidentId;
use crate::resource::Resource;
use harit_engine::{AlertSeverity, AlertSpec, Match, Operator, Quantity, ScopeSpec, SensorType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a notification is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NotificationType)]
pub(crate) enum Severity {
    /// Somebody should look.
    Alert,
    /// Something does not work as it should.
    Warning,
    /// Something is well again.
    Success,
    /// Good to know.
    Info,
}

/// A condition of an alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Watched {
    pub sensor: SensorType,
    pub operator: Operator,
    /// As people read it.
    pub value: String,
}

/// What an alert watches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Watch {
    pub alert: String,
    pub name: String,
    /// Where; nothing is the whole farm.
    pub place: Option<String>,
    pub conditions: Vec<Watched>,
    /// Whether one condition is enough.
    pub any: bool,
    pub hold_sec: i64,
    /// How much it matters; what is stored by an earlier version does not say.
    #[serde(default)]
    pub severity: AlertSeverity,
    /// Where, for what else is asked of the place; none is the farm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
    /// When it was raised; what is stored by an earlier version does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raised_at: Option<i64>,
    /// What each condition compared when a message was written, as people read it; nothing beyond messages.
    #[serde(skip)]
    pub seen: Vec<Option<String>>,
}

impl Watch {
    /// What an alert watches at that place.
    pub(crate) fn of(spec: &AlertSpec, place: Option<String>) -> Self {
        Self {
            alert: spec.id.to_string(),
            name: spec.name.clone(),
            place,
            conditions: spec
                .conditions
                .iter()
                .map(|c| Watched {
                    sensor: c.sensor.sensor_type(),
                    operator: c.operator,
                    value: Quantity::to_string(&c.value),
                })
                .collect(),
            any: spec.matching == Match::Any,
            hold_sec: spec.hold.as_millis() / 1_000,
            severity: spec.severity,
            scope: spec.scope.clone(),
            raised_at: None,
            seen: Vec::new(),
        }
    }

    /// Which time of its being raised it was.
    pub(crate) fn incident(&self) -> Option<IncidentId> {
        Some(IncidentId::new(&self.alert, self.raised_at?))
    }
}

/// A device, by its name and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub id: String,
    pub name: String,
    /// Nothing is the whole farm.
    pub place: Option<String>,
}

/// A command that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ordered {
    pub device: Named,
    /// on, off, set_speed...
    pub action: String,
    pub value: Option<String>,
    /// Who gave it, if it was a person.
    pub by: Option<String>,
    /// What the controller said.
    pub message: Option<String>,
}

/// Sensors of one controller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sensors {
    /// MAC; nothing for sensors without a controller.
    pub controller: Option<String>,
    /// The controller's name.
    pub of: Option<String>,
    /// The first few names.
    pub names: Vec<String>,
    pub count: usize,
}

/// Something in the store of which little is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stocked {
    pub id: String,
    pub name: String,
    /// How much is left, as people read it.
    pub left: String,
    /// A word such as KG.
    pub unit: String,
}

/// How a raised alert ended, other than by its condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertEnd)]
pub(crate) enum Ended {
    Deleted,
    Disabled,
    Changed,
    /// Its sensors are others now.
    Registry,
}

impl Ended {
    /// What a stored event says; nothing where its condition ended it.
    pub(crate) fn parse(reason: &str) -> Option<Self> {
        match reason {
            "deleted" => Some(Self::Deleted),
            "disabled" => Some(Self::Disabled),
            "changed" => Some(Self::Changed),
            "registry" => Some(Self::Registry),
            _ => None,
        }
    }

    /// Its word, as it is stored.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Disabled => "disabled",
            Self::Changed => "changed",
            Self::Registry => "registry",
        }
    }

    const fn topic(self) -> &'static str {
        match self {
            Self::Deleted => "alert_deleted",
            Self::Disabled => "alert_disabled",
            Self::Changed => "alert_changed",
            Self::Registry => "alert_registry",
        }
    }

    /// What the audit log has of a person who did it.
    pub(crate) const fn deeds(self) -> &'static [Action] {
        const CHANGED: Action = Action::Of(Resource::Alert, Verb::Changed);
        match self {
            Self::Deleted => &[Action::Of(Resource::Alert, Verb::Deleted)],
            Self::Disabled => &[Action::AlertDisabled, CHANGED],
            Self::Changed => &[CHANGED],
            Self::Registry => &[],
        }
    }
}

/// Something to be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Notice {
    AlertRaised {
        watch: Watch,
    },
    /// It is raised still, and its repeat interval is over.
    AlertRepeated {
        watch: Watch,
        /// Its sensors say nothing any more.
        no_data: bool,
    },
    AlertResolved {
        watch: Watch,
    },
    /// It is raised still, but sensors on whose values it is raised fell silent.
    AlertUnknown {
        watch: Watch,
        /// The first few names of those that it waits for.
        silent: Vec<String>,
        count: usize,
    },
    /// Somebody took it away while it was raised.
    AlertEnded {
        /// Without a name where nothing is known of it any more.
        watch: Watch,
        how: Ended,
        by: Option<String>,
    },
    DeviceLocked {
        device: Named,
        reason: String,
    },
    DeviceUnlocked {
        device: Named,
    },
    CommandFailed {
        order: Ordered,
    },
    CommandTimedOut {
        order: Ordered,
    },
    ControllerOffline {
        controller: String,
        name: String,
    },
    ControllerOnline {
        controller: String,
        name: String,
    },
    SensorsStale {
        sensors: Sensors,
    },
    SensorsFresh {
        sensors: Sensors,
    },
    /// A device runs, and the signal that it changes as a rule does not.
    NoEffect {
        device: Named,
        failing: Failing,
    },
    /// What a device does has an effect again.
    EffectBack {
        device: Named,
    },
    /// A sensor leaves those of the same quantity in the same place.
    SensorDrifts {
        sensor: Named,
        /// The other one, where nobody can say which of two it is.
        or_other: Option<String>,
        of: SensorType,
        /// How far it lies from them now, and did before.
        now: Quantity,
        usual: Quantity,
    },
    /// No more is left than the lowest stock.
    StockLow {
        item: Stocked,
    },
    /// The evening letter of a day, YYYY-MM-DD.
    LetterReady {
        day: String,
    },
    /// So much happened that the rest is only counted.
    Digest,
}

impl Notice {
    pub(crate) const fn severity(&self) -> Severity {
        match self {
            Self::AlertRaised { watch }
            | Self::AlertRepeated { watch, .. }
            | Self::AlertUnknown { watch, .. } => match watch.severity {
                AlertSeverity::Critical | AlertSeverity::Warning => Severity::Alert,
                AlertSeverity::Info => Severity::Info,
            },
            Self::DeviceLocked { .. }
            | Self::CommandFailed { .. }
            | Self::CommandTimedOut { .. }
            | Self::ControllerOffline { .. }
            | Self::SensorsStale { .. }
            | Self::NoEffect { .. }
            | Self::SensorDrifts { .. }
            | Self::StockLow { .. } => Severity::Warning,
            Self::AlertResolved { .. }
            | Self::ControllerOnline { .. }
            | Self::EffectBack { .. }
            | Self::SensorsFresh { .. } => Severity::Success,
            Self::AlertEnded { .. }
            | Self::DeviceUnlocked { .. }
            | Self::LetterReady { .. }
            | Self::Digest => Severity::Info,
        }
    }

    /// Whether somebody must look at once: such notices stand first until they are read.
    pub(crate) const fn is_critical(&self) -> bool {
        matches!(
            self,
            Self::AlertRaised { watch }
            | Self::AlertRepeated { watch, .. }
            | Self::AlertUnknown { watch, .. }
                if matches!(watch.severity, AlertSeverity::Critical)
        )
    }

    /// Of what it is: the next of the same topic takes the place of an unread one.
    pub(crate) fn topic(&self) -> String {
        let about = |kind: &str, what: &str| format!("{kind}/{what}");
        match self {
            Self::AlertRaised { watch } => about("alert_raised", &watch.alert),
            Self::AlertRepeated { watch, .. } => about("alert_repeated", &watch.alert),
            Self::AlertResolved { watch } => about("alert_resolved", &watch.alert),
            Self::AlertUnknown { watch, .. } => about("alert_unknown", &watch.alert),
            Self::AlertEnded { watch, how, .. } => about(how.topic(), &watch.alert),
            Self::DeviceLocked { device, .. } => about("device_locked", &device.id),
            Self::DeviceUnlocked { device } => about("device_unlocked", &device.id),
            Self::CommandFailed { order } => about("command_failed", &order.device.id),
            Self::CommandTimedOut { order } => about("command_timed_out", &order.device.id),
            Self::ControllerOffline { controller, .. } => about("controller_offline", controller),
            Self::ControllerOnline { controller, .. } => about("controller_online", controller),
            Self::SensorsStale { sensors } => {
                about("sensors_stale", sensors.controller.as_deref().unwrap_or(""))
            }
            Self::SensorsFresh { sensors } => {
                about("sensors_fresh", sensors.controller.as_deref().unwrap_or(""))
            }
            Self::NoEffect { device, .. } => about("no_effect", &device.id),
            Self::EffectBack { device } => about("effect_back", &device.id),
            Self::SensorDrifts { sensor, .. } => about("sensor_drifts", &sensor.id),
            Self::StockLow { item } => about("stock_low", &item.id),
            Self::LetterReady { day } => about("letter", day),
            Self::Digest => "digest".to_owned(),
        }
    }

    /// What an alert that it is about watches.
    pub(crate) const fn watch(&self) -> Option<&Watch> {
        match self {
            Self::AlertRaised { watch }
            | Self::AlertRepeated { watch, .. }
            | Self::AlertResolved { watch }
            | Self::AlertUnknown { watch, .. }
            | Self::AlertEnded { watch, .. } => Some(watch),
            _ => None,
        }
    }

    /// The incident that is over, as this tells.
    pub(crate) fn ends(&self) -> Option<&Watch> {
        match self {
            Self::AlertResolved { watch } | Self::AlertEnded { watch, .. } => Some(watch),
            _ => None,
        }
    }

    /// Whether it is told however much else is: an alert, and the end of one.
    pub(crate) fn is_always_told(&self) -> bool {
        let matters = |watch: &Watch| watch.severity != AlertSeverity::Info;
        self.severity() == Severity::Alert || self.ends().is_some_and(matters)
    }

    /// Where in the console there is more.
    pub(crate) fn link(&self) -> String {
        match self.watch().map(Watch::incident) {
            Some(Some(incident)) => format!("/alerts/{}", in_path(&incident.to_string())),
            _ => self.page().to_owned(),
        }
    }

    const fn page(&self) -> &'static str {
        match self {
            Self::AlertRaised { .. }
            | Self::AlertRepeated { .. }
            | Self::AlertResolved { .. }
            | Self::AlertUnknown { .. }
            | Self::AlertEnded { .. } => "/alerts",
            Self::DeviceLocked { .. } | Self::DeviceUnlocked { .. } => "/automation/manual",
            Self::CommandFailed { .. } | Self::CommandTimedOut { .. } | Self::Digest => {
                "/automation/logs"
            }
            Self::ControllerOffline { .. }
            | Self::ControllerOnline { .. }
            | Self::SensorsStale { .. }
            | Self::SensorsFresh { .. } => "/polyhouses",
            Self::NoEffect { .. } | Self::EffectBack { .. } | Self::SensorDrifts { .. } => {
                "/effects"
            }
            Self::StockLow { .. } => "/inventory",
            Self::LetterReady { .. } => "/letter",
        }
    }
}

/// A text as a part of a path (RFC 3986): what is not unreserved is escaped.
fn in_path(text: &str) -> String {
    let mut path = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path
}
