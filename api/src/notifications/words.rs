//! Notifications in words, in each language. Names are the farm's own; everything else is said as a grower would.

mod alerts;
mod devices;
mod effects;
mod letter;
mod presence;
mod stock;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::notice::Notice;
use crate::language::Language::{self, En, Hi, Mr};
pub(crate) use alerts::quantity;
use alerts::{ended, name_of, raised, repeated, resolved, unknown, watched};
use devices::{failed, locked, timed_out, unlocked};
use effects::{back, drifts, no_effect};
use letter::letter;
use presence::{fresh, offline, online, stale};
use stock::low;

/// The longest reason or message of a device that is repeated, in characters.
const MAX_QUOTED: usize = 200;

/// Title and message.
pub(crate) struct Words {
    pub title: String,
    pub message: String,
}

impl Notice {
    /// What it says, in a language; `times` is how often it happened.
    pub(crate) fn say(&self, language: Language, times: i64) -> Words {
        let (title, mut message) = match self {
            Self::AlertRaised { watch } => (
                raised(language, name_of(language, watch)),
                watched(language, watch),
            ),
            Self::AlertRepeated { watch, no_data } => {
                let message = if *no_data {
                    at_place(language, watch.place.as_deref(), pick(language, NO_DATA))
                } else {
                    watched(language, watch)
                };
                (repeated(language, name_of(language, watch)), message)
            }
            Self::AlertResolved { watch } => (
                resolved(language, name_of(language, watch)),
                at_place(language, watch.place.as_deref(), pick(language, NORMAL)),
            ),
            Self::AlertUnknown {
                watch,
                silent,
                count,
            } => unknown(language, watch, silent, *count),
            Self::AlertEnded { watch, how, by } => ended(language, watch, *how, by.as_deref()),
            Self::DeviceLocked { device, reason } => locked(language, device, reason),
            Self::DeviceUnlocked { device } => unlocked(language, device),
            Self::CommandFailed { order } => failed(language, order),
            Self::CommandTimedOut { order } => timed_out(language, order),
            Self::ControllerOffline { name, .. } => offline(language, name),
            Self::ControllerOnline { name, .. } => online(language, name),
            Self::SensorsStale { sensors } => stale(language, sensors),
            Self::SensorsFresh { sensors } => fresh(language, sensors),
            Self::NoEffect { device, failing } => no_effect(language, device, failing),
            Self::EffectBack { device } => back(language, device),
            Self::SensorDrifts {
                sensor,
                or_other,
                of,
                now,
                usual,
            } => drifts(language, (sensor, or_other.as_deref()), *of, (*now, *usual)),
            Self::StockLow { item } => low(language, item),
            Self::LetterReady { day } => letter(language, day),
            Self::Digest => return digest(language, times),
        };
        if times > 1 {
            let n = language.digits(&times.to_string());
            // Writing to a string does not fail.
            let _ = match language {
                En => write!(message, " ({n} times)"),
                Hi => write!(message, " ({n} बार)"),
                Mr => write!(message, " ({n} वेळा)"),
            };
        }
        Words { title, message }
    }
}

type Texts = [&'static str; 3];

const NO_DATA: Texts = [
    "its sensors no longer send readings: whether it is over is not known, so it stays raised",
    "इसके सेंसर अब रीडिंग नहीं भेज रहे: सब ठीक हुआ या नहीं, यह पता नहीं, इसलिए चेतावनी जारी है",
    "याचे सेन्सर आता रीडिंग पाठवत नाहीत: सर्व ठीक झाले की नाही हे माहीत नाही, म्हणून इशारा जारी आहे",
];
const NORMAL: Texts = ["back to normal", "अब सब सामान्य है", "आता सर्व सामान्य आहे"];
const WHOLE_FARM: Texts = ["Whole farm", "पूरा फ़ार्म", "संपूर्ण शेत"];

const fn pick(language: Language, texts: Texts) -> &'static str {
    match language {
        En => texts[0],
        Hi => texts[1],
        Mr => texts[2],
    }
}

/// A text of a device, as it is, but no longer than a line or two.
fn quoted(text: &str) -> String {
    let clean = text.chars().filter(|c| !c.is_control());
    let mut short: String = clean.take(MAX_QUOTED).collect();
    if text.chars().count() > MAX_QUOTED {
        short.push('…');
    }
    short
}

fn at_place(language: Language, place: Option<&str>, text: &str) -> String {
    format!(
        "{}: {text}",
        place.unwrap_or_else(|| pick(language, WHOLE_FARM))
    )
}

fn digest(language: Language, times: i64) -> Words {
    let n = language.digits(&times.to_string());
    let (title, message) = match language {
        En if times == 1 => (
            "1 more message".to_owned(),
            "A lot happened in a short time. The log has the details.",
        ),
        En => (
            format!("{n} more messages"),
            "A lot happened in a short time. The log has the details.",
        ),
        Hi => (
            format!("{n} और संदेश"),
            "थोड़े समय में बहुत कुछ हुआ। रिकॉर्ड में सब दर्ज है।",
        ),
        Mr => (
            format!("आणखी {n} संदेश"),
            "थोड्या वेळात खूप काही घडले. नोंदींमध्ये सर्व आहे.",
        ),
    };
    Words {
        title,
        message: message.to_owned(),
    }
}
