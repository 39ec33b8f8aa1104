//! Notifications in words, in each language. Names are the farm's own; everything else is said as a grower would.

use std::fmt::Write;

use harit_engine::{Operator, SensorType};

use super::notice::{Ended, Named, Notice, Ordered, Sensors, Watch, Watched};
use crate::language::Language::{self, En, Hi, Mr};

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
    "its sensors send no readings any more: whether it is over is not known, so it stays raised",
    "इसके सेंसर अब रीडिंग नहीं भेज रहे: सब ठीक हुआ या नहीं, यह पता नहीं, इसलिए चेतावनी जारी है",
    "याचे सेन्सर आता रीडिंग पाठवत नाहीत: सर्व ठीक झाले की नाही हे माहीत नाही, म्हणून इशारा जारी आहे",
];
const SOME_ALERT: Texts = [
    "an alert that was deleted",
    "हटाई गई चेतावनी",
    "हटवलेला इशारा",
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

/// A text with the place in front of it; without, for the whole farm.
fn placed(device: &Named, text: &str) -> String {
    match &device.place {
        Some(place) => format!("{place}: {text}"),
        None => text.to_owned(),
    }
}

/// What it is called; of one that is gone, the name may not be known.
fn name_of(language: Language, watch: &Watch) -> &str {
    if watch.name.is_empty() {
        pick(language, SOME_ALERT)
    } else {
        &watch.name
    }
}

fn unknown(language: Language, watch: &Watch, silent: &[String], count: usize) -> (String, String) {
    let name = name_of(language, watch);
    let title = match language {
        En => format!("Not known any more: {name}"),
        Hi => format!("अब पता नहीं: {name}"),
        Mr => format!("आता माहीत नाही: {name}"),
    };
    if silent.is_empty() {
        return (
            title,
            at_place(language, watch.place.as_deref(), pick(language, NO_DATA)),
        );
    }
    let sensors = Sensors {
        controller: None,
        of: None,
        names: silent.to_vec(),
        count,
    };
    let who = names(language, &sensors);
    let text = match language {
        En => format!(
            "no readings from {who}. Whether it is over is not known, so the alert stays raised."
        ),
        Hi => {
            format!("{who} से रीडिंग नहीं आ रही। सब ठीक हुआ या नहीं, यह पता नहीं, इसलिए चेतावनी जारी है।")
        }
        Mr => format!(
            "{who} कडून रीडिंग येत नाही. सर्व ठीक झाले की नाही हे माहीत नाही, म्हणून इशारा जारी आहे."
        ),
    };
    (title, at_place(language, watch.place.as_deref(), &text))
}

fn ended(language: Language, watch: &Watch, how: Ended, by: Option<&str>) -> (String, String) {
    let name = name_of(language, watch);
    let title = match how {
        Ended::Deleted => ["Alert deleted", "चेतावनी हटाई गई", "इशारा हटवला"],
        Ended::Disabled => ["Alert switched off", "चेतावनी बंद की गई", "इशारा बंद केला"],
        Ended::Changed | Ended::Registry => ["Alert changed", "चेतावनी बदली गई", "इशारा बदलला"],
    };
    let text = match how {
        Ended::Deleted => [
            "was deleted while it was raised",
            "जारी रहते हुए हटाई गई",
            "जारी असताना हटवला गेला",
        ],
        Ended::Disabled => [
            "was switched off while it was raised",
            "जारी रहते हुए बंद की गई",
            "जारी असताना बंद केला गेला",
        ],
        Ended::Changed => [
            "was changed while it was raised, and starts anew",
            "जारी रहते हुए बदली गई, अब नए सिरे से देखी जा रही है",
            "जारी असताना बदलला गेला, आता नव्याने तपासला जात आहे",
        ],
        Ended::Registry => [
            "its sensors changed while it was raised; it starts anew",
            "जारी रहते हुए इसके सेंसर बदले, अब नए सिरे से देखी जा रही है",
            "जारी असताना याचे सेन्सर बदलले, आता नव्याने तपासला जात आहे",
        ],
    };
    let text = pick(language, text);
    let text = match (language, by) {
        (_, None) => text.to_owned(),
        (En, Some(by)) => format!("{text} (by {by})"),
        (Hi, Some(by)) => format!("{text} ({by} ने किया)"),
        (Mr, Some(by)) => format!("{text} ({by} यांनी)"),
    };
    (
        format!("{}: {name}", pick(language, title)),
        at_place(language, watch.place.as_deref(), &text),
    )
}

fn raised(language: Language, name: &str) -> String {
    match language {
        En => format!("Alert: {name}"),
        Hi => format!("चेतावनी: {name}"),
        Mr => format!("इशारा: {name}"),
    }
}

fn repeated(language: Language, name: &str) -> String {
    match language {
        En => format!("Alert still active: {name}"),
        Hi => format!("चेतावनी जारी है: {name}"),
        Mr => format!("इशारा अजून जारी आहे: {name}"),
    }
}

fn resolved(language: Language, name: &str) -> String {
    match language {
        En => format!("Alert is over: {name}"),
        Hi => format!("चेतावनी ख़त्म हुई: {name}"),
        Mr => format!("इशारा संपला: {name}"),
    }
}

const fn quantity(language: Language, sensor: SensorType) -> &'static str {
    let texts = match sensor {
        SensorType::Temperature => ["temperature", "तापमान", "तापमान"],
        SensorType::Humidity => ["humidity", "हवा की नमी", "हवेतील आर्द्रता"],
        SensorType::SoilMoisture => ["soil moisture", "मिट्टी की नमी", "जमिनीतील ओलावा"],
        SensorType::Ph => ["pH", "pH", "सामू"],
        SensorType::Ec => ["EC", "EC", "क्षारता"],
        SensorType::ReservoirLevel => ["reservoir level", "टंकी में पानी", "टाकीतील पाणी"],
        SensorType::LightIntensity => ["light", "रोशनी", "प्रकाश"],
        SensorType::Co2Level => ["CO₂", "कार्बन डाइऑक्साइड", "कार्बन डायऑक्साइड"],
    };
    pick(language, texts)
}

fn amount(language: Language, watched: &Watched) -> String {
    let value = language.digits(&watched.value);
    match (watched.sensor, language) {
        (SensorType::Ph, _) => value,
        (SensorType::Humidity | SensorType::SoilMoisture | SensorType::ReservoirLevel, _) => {
            format!("{value}%")
        }
        (SensorType::LightIntensity, Hi | Mr) => format!("{value} लक्स"),
        (SensorType::Co2Level, Hi | Mr) => format!("{value} पीपीएम"),
        (sensor, _) => format!("{value} {}", sensor.unit()),
    }
}

fn condition(language: Language, watched: &Watched) -> String {
    let (what, value) = (
        quantity(language, watched.sensor),
        amount(language, watched),
    );
    match (language, watched.operator) {
        (En, Operator::Gt) => format!("{what} above {value}"),
        (En, Operator::Gte) => format!("{what} at or above {value}"),
        (En, Operator::Lt) => format!("{what} below {value}"),
        (En, Operator::Lte) => format!("{what} at or below {value}"),
        (En, Operator::Eq | Operator::Between) => format!("{what} at {value}"),
        (Hi, Operator::Gt) => format!("{what} {value} से ऊपर"),
        (Hi, Operator::Gte) => format!("{what} {value} या उससे ऊपर"),
        (Hi, Operator::Lt) => format!("{what} {value} से नीचे"),
        (Hi, Operator::Lte) => format!("{what} {value} या उससे नीचे"),
        (Hi, Operator::Eq | Operator::Between) => format!("{what} {value} पर"),
        (Mr, Operator::Gt) => format!("{what} {value} पेक्षा जास्त"),
        (Mr, Operator::Gte) => format!("{what} {value} किंवा त्याहून जास्त"),
        (Mr, Operator::Lt) => format!("{what} {value} पेक्षा कमी"),
        (Mr, Operator::Lte) => format!("{what} {value} किंवा त्याहून कमी"),
        (Mr, Operator::Eq | Operator::Between) => format!("{what} नेमके {value}"),
    }
}

/// For how long, in the largest unit that has no remainder.
fn held(language: Language, secs: i64) -> String {
    let (n, unit) = match secs {
        s if s % 3_600 == 0 => (s / 3_600, 2),
        s if s % 60 == 0 => (s / 60, 1),
        s => (s, 0),
    };
    let count = language.digits(&n.to_string());
    match language {
        En => format!("for {count} {}", ["s", "min", "h"][unit]),
        Hi => format!("{count} {} से", ["सेकंड", "मिनट", "घंटे"][unit]),
        Mr if n == 1 => format!("{count} {}", ["सेकंदापासून", "मिनिटापासून", "तासापासून"][unit]),
        Mr => format!("{count} {}", ["सेकंदांपासून", "मिनिटांपासून", "तासांपासून"][unit]),
    }
}

/// "Polyhouse 1: temperature above 35 °C for 5 min"
fn watched(language: Language, watch: &Watch) -> String {
    let joint = match (language, watch.any) {
        (En, false) => " and ",
        (En, true) => " or ",
        (Hi, false) => " और ",
        (Hi, true) => " या ",
        (Mr, false) => " आणि ",
        (Mr, true) => " किंवा ",
    };
    let conditions: Vec<String> = watch
        .conditions
        .iter()
        .map(|c| condition(language, c))
        .collect();
    let mut text = conditions.join(joint);
    if watch.hold_sec > 0 {
        text.push_str(if language == En { " " } else { ", " });
        text.push_str(&held(language, watch.hold_sec));
    }
    at_place(language, watch.place.as_deref(), &text)
}

fn locked(language: Language, device: &Named, reason: &str) -> (String, String) {
    let name = &device.name;
    let reason = match reason {
        "max_on" => pick(
            language,
            [
                "it was on for too long",
                "यह बहुत देर तक चालू रहा",
                "ते खूप वेळ चालू राहिले",
            ],
        )
        .to_owned(),
        "keeps stopping" => pick(
            language,
            [
                "it keeps stopping by itself; look at the machine before you unlock it",
                "यह बार-बार अपने आप बंद हो जाता है; ताला खोलने से पहले मशीन देख लें",
                "ते पुन्हा पुन्हा आपोआप बंद पडते; कुलूप उघडण्यापूर्वी यंत्र पाहा",
            ],
        )
        .to_owned(),
        "keeps starting" => pick(
            language,
            [
                "it keeps starting by itself; look at the machine before you unlock it",
                "यह बार-बार अपने आप चालू हो जाता है; ताला खोलने से पहले मशीन देख लें",
                "ते पुन्हा पुन्हा आपोआप सुरू होते; कुलूप उघडण्यापूर्वी यंत्र पाहा",
            ],
        )
        .to_owned(),
        other => quoted(other),
    };
    match language {
        En => (
            format!("{name} is locked"),
            placed(
                device,
                &format!("until it is unlocked it can only be switched off. Reason: {reason}"),
            ),
        ),
        Hi => (
            format!("{name} पर ताला लगा है"),
            placed(
                device,
                &format!("ताला खुलने तक इसे सिर्फ़ बंद किया जा सकता है। कारण: {reason}"),
            ),
        ),
        Mr => (
            format!("{name} कुलूपबंद आहे"),
            placed(
                device,
                &format!("कुलूप उघडेपर्यंत ते फक्त बंद करता येईल. कारण: {reason}"),
            ),
        ),
    }
}

fn unlocked(language: Language, device: &Named) -> (String, String) {
    let name = &device.name;
    match language {
        En => (
            format!("{name} is unlocked"),
            placed(device, "it takes commands again"),
        ),
        Hi => (
            format!("{name} का ताला खुल गया"),
            placed(device, "यह फिर से आदेश लेगा"),
        ),
        Mr => (
            format!("{name} चे कुलूप उघडले"),
            placed(device, "ते पुन्हा आदेश घेईल"),
        ),
    }
}

/// What was ordered: "Set speed 60%".
fn order(language: Language, ordered: &Ordered) -> String {
    let value = |unit: Texts| {
        let value = language.digits(ordered.value.as_deref().unwrap_or(""));
        format!(" {value}{}", pick(language, unit))
    };
    let percent = ["%", "%", "%"];
    match ordered.action.as_str() {
        "on" => pick(language, ["On", "चालू", "चालू"]).to_owned(),
        "off" => pick(language, ["Off", "बंद", "बंद"]).to_owned(),
        "set_speed" => pick(language, ["Speed", "स्पीड", "स्पीड"]).to_owned() + &value(percent),
        "set_position" => pick(language, ["Open", "खोलें", "उघडा"]).to_owned() + &value(percent),
        "set_flow_rate" => {
            pick(language, ["Flow", "बहाव", "प्रवाह"]).to_owned()
                + &value([" ml/s", " मिली/सेकंड", " मिली/सेकंद"])
        }
        "pulse" => {
            let text = pick(language, ["Pulse", "", ""]).to_owned()
                + &value([" s", " सेकंड चलाना", " सेकंद चालवणे"]);
            text.trim_start().to_owned()
        }
        "release" => pick(language, ["Back to automatic", "फिर ऑटो पर", "पुन्हा ऑटोवर"]).to_owned(),
        other => other.to_owned(),
    }
}

/// The same with who gave it.
fn order_by(language: Language, ordered: &Ordered) -> String {
    let what = order(language, ordered);
    match (&ordered.by, language) {
        (None, _) => format!("“{what}”"),
        (Some(by), En) => format!("“{what}” by {by}"),
        (Some(by), Hi) => format!("{by} का आदेश “{what}”"),
        (Some(by), Mr) => format!("{by} यांचा आदेश “{what}”"),
    }
}

fn failed(language: Language, ordered: &Ordered) -> (String, String) {
    let name = &ordered.device.name;
    let what = order_by(language, ordered);
    let said = ordered.message.as_deref().map(quoted);
    let said = said
        .filter(|s| !s.is_empty())
        .map_or(String::new(), |s| format!(": {s}"));
    match language {
        En => (
            format!("{name} refused a command"),
            placed(
                &ordered.device,
                &format!("{what} was not carried out{said}"),
            ),
        ),
        Hi => (
            format!("{name} ने आदेश नहीं माना"),
            placed(&ordered.device, &format!("{what} पूरा नहीं हुआ{said}")),
        ),
        Mr => (
            format!("{name} ने आदेश पाळला नाही"),
            placed(&ordered.device, &format!("{what} पूर्ण झाला नाही{said}")),
        ),
    }
}

fn timed_out(language: Language, ordered: &Ordered) -> (String, String) {
    let name = &ordered.device.name;
    let what = order(language, ordered);
    match language {
        En => (
            format!("No answer from {name}"),
            placed(
                &ordered.device,
                &format!(
                    "{} was not confirmed in time. See whether it was done.",
                    order_by(language, ordered)
                ),
            ),
        ),
        Hi => (
            format!("{name} से जवाब नहीं मिला"),
            placed(
                &ordered.device,
                &match &ordered.by {
                    None => format!("“{what}” की समय पर पुष्टि नहीं हुई। देख लें कि काम हुआ या नहीं।"),
                    Some(by) => {
                        format!("{by} के आदेश “{what}” की समय पर पुष्टि नहीं हुई। देख लें कि काम हुआ या नहीं।")
                    }
                },
            ),
        ),
        Mr => (
            format!("{name} कडून उत्तर नाही"),
            placed(
                &ordered.device,
                &match &ordered.by {
                    None => format!("“{what}” ची वेळेत खात्री झाली नाही. काम झाले का ते पाहा."),
                    Some(by) => format!(
                        "{by} यांच्या “{what}” या आदेशाची वेळेत खात्री झाली नाही. काम झाले का ते पाहा."
                    ),
                },
            ),
        ),
    }
}

fn offline(language: Language, name: &str) -> (String, String) {
    match language {
        En => (
            format!("Controller offline: {name}"),
            "Its sensors and devices cannot be reached. What was on should switch itself off within 3 minutes: check on site.".to_owned(),
        ),
        Hi => (
            format!("कंट्रोलर से संपर्क टूटा: {name}"),
            "इसके सेंसर और उपकरणों तक पहुँच नहीं है। जो चालू था, वह 3 मिनट में अपने आप बंद हो जाना चाहिए: मौके पर देख लें।".to_owned(),
        ),
        Mr => (
            format!("कंट्रोलरशी संपर्क तुटला: {name}"),
            "त्याच्या सेन्सर व उपकरणांशी संपर्क होत नाही. जे चालू होते ते ३ मिनिटांत आपोआप बंद व्हायला हवे: प्रत्यक्ष जाऊन पाहा.".to_owned(),
        ),
    }
}

fn online(language: Language, name: &str) -> (String, String) {
    match language {
        En => (
            format!("Controller online again: {name}"),
            "Its sensors and devices can be reached again.".to_owned(),
        ),
        Hi => (
            format!("कंट्रोलर से फिर संपर्क हुआ: {name}"),
            "इसके सेंसर और उपकरण फिर से जुड़ गए हैं।".to_owned(),
        ),
        Mr => (
            format!("कंट्रोलरशी पुन्हा संपर्क झाला: {name}"),
            "त्याचे सेन्सर व उपकरणे पुन्हा जोडली गेली आहेत.".to_owned(),
        ),
    }
}

/// The sensors' names, as many as are known, with their controller.
fn names(language: Language, sensors: &Sensors) -> String {
    let mut text = sensors.names.join(", ");
    let more = sensors.count.saturating_sub(sensors.names.len());
    if more > 0 {
        let n = language.digits(&more.to_string());
        let _ = match language {
            En => write!(text, " and {n} more"),
            Hi => write!(text, " और {n} अन्य"),
            Mr => write!(text, " आणि आणखी {n}"),
        };
    }
    if let Some(of) = &sensors.of {
        let _ = write!(text, " ({of})");
    }
    text
}

fn stale(language: Language, sensors: &Sensors) -> (String, String) {
    let all = names(language, sensors);
    match (language, sensors.names.as_slice()) {
        (En, [name]) if sensors.count == 1 => (
            format!("No readings from {name}"),
            format!("{all}: the last reading is too old to be used"),
        ),
        (Hi, [name]) if sensors.count == 1 => (
            format!("{name} से रीडिंग नहीं आ रही"),
            format!("{all}: पिछली रीडिंग बहुत पुरानी हो गई है"),
        ),
        (Mr, [name]) if sensors.count == 1 => (
            format!("{name} कडून रीडिंग येत नाही"),
            format!("{all}: शेवटचे रीडिंग खूप जुने झाले आहे"),
        ),
        _ => {
            let n = language.digits(&sensors.count.to_string());
            let title = match language {
                En => format!("No readings from {n} sensors"),
                Hi => format!("{n} सेंसर से रीडिंग नहीं आ रही"),
                Mr => format!("{n} सेन्सरकडून रीडिंग येत नाही"),
            };
            (title, all)
        }
    }
}

fn fresh(language: Language, sensors: &Sensors) -> (String, String) {
    let all = names(language, sensors);
    let title = match (language, sensors.names.as_slice()) {
        (En, [name]) if sensors.count == 1 => format!("Readings from {name} again"),
        (Hi, [name]) if sensors.count == 1 => format!("{name} से फिर रीडिंग आ रही है"),
        (Mr, [name]) if sensors.count == 1 => format!("{name} कडून पुन्हा रीडिंग येत आहे"),
        _ => {
            let n = language.digits(&sensors.count.to_string());
            match language {
                En => format!("Readings from {n} sensors again"),
                Hi => format!("{n} सेंसर से फिर रीडिंग आ रही है"),
                Mr => format!("{n} सेन्सरकडून पुन्हा रीडिंग येत आहे"),
            }
        }
    };
    (title, all)
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

#[cfg(test)]
mod tests;
