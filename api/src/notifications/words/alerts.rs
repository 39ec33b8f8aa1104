//! Alerts in words: raised, repeated, over, not known any more, ended by people.

use harit_engine::{Operator, SensorType};

use super::presence::names;
use super::{NO_DATA, Texts, at_place, pick};
use crate::language::Language::{self, En, Hi, Mr};
use crate::notifications::notice::{Ended, Sensors, Watch, Watched};

const SOME_ALERT: Texts = [
    "an alert that was deleted",
    "हटाई गई चेतावनी",
    "हटवलेला इशारा",
];

/// What it is called; of one that is gone, the name may not be known.
pub(super) fn name_of(language: Language, watch: &Watch) -> &str {
    if watch.name.is_empty() {
        pick(language, SOME_ALERT)
    } else {
        &watch.name
    }
}

pub(super) fn unknown(
    language: Language,
    watch: &Watch,
    silent: &[String],
    count: usize,
) -> (String, String) {
    let name = name_of(language, watch);
    let title = match language {
        En => format!("Alert without readings: {name}"),
        Hi => format!("चेतावनी को रीडिंग नहीं मिल रही: {name}"),
        Mr => format!("इशाऱ्याला रीडिंग मिळत नाही: {name}"),
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

pub(super) fn ended(
    language: Language,
    watch: &Watch,
    how: Ended,
    by: Option<&str>,
) -> (String, String) {
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
            "was changed while it was raised, and starts over",
            "जारी रहते हुए बदली गई, अब नए सिरे से देखी जा रही है",
            "जारी असताना बदलला गेला, आता नव्याने तपासला जात आहे",
        ],
        Ended::Registry => [
            "its sensors changed while it was raised; it starts over",
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

pub(super) fn raised(language: Language, name: &str) -> String {
    match language {
        En => format!("Alert: {name}"),
        Hi => format!("चेतावनी: {name}"),
        Mr => format!("इशारा: {name}"),
    }
}

pub(super) fn repeated(language: Language, name: &str) -> String {
    match language {
        En => format!("Alert still raised: {name}"),
        Hi => format!("चेतावनी जारी है: {name}"),
        Mr => format!("इशारा अजून जारी आहे: {name}"),
    }
}

pub(super) fn resolved(language: Language, name: &str) -> String {
    match language {
        En => format!("Alert resolved: {name}"),
        Hi => format!("चेतावनी ख़त्म हुई: {name}"),
        Mr => format!("इशारा संपला: {name}"),
    }
}

/// A quantity in a word.
pub(crate) const fn quantity(language: Language, sensor: SensorType) -> &'static str {
    let texts = match sensor {
        SensorType::Temperature => ["temperature", "तापमान", "तापमान"],
        SensorType::Humidity => ["humidity", "हवा की नमी", "हवेतील आर्द्रता"],
        SensorType::SoilMoisture => ["soil moisture", "मिट्टी की नमी", "जमिनीतील ओलावा"],
        SensorType::Ph => ["pH", "पीएच", "पीएच"],
        SensorType::Ec => ["EC", "ईसी", "ईसी"],
        SensorType::ReservoirLevel => ["reservoir level", "टंकी में पानी", "टाकीतील पाणी"],
        SensorType::LightIntensity => ["light", "रोशनी", "प्रकाश"],
        SensorType::Co2Level => ["CO₂", "कार्बन डाइऑक्साइड", "कार्बन डायऑक्साइड"],
        SensorType::SoilTemperature => ["soil temperature", "मिट्टी का तापमान", "मातीचे तापमान"],
        SensorType::WaterTemperature => ["water temperature", "पानी का तापमान", "पाण्याचे तापमान"],
        SensorType::LeafWetness => ["leaf wetness", "पत्तियों का गीलापन", "पानांचा ओलेपणा"],
        SensorType::AirPressure => ["air pressure", "हवा का दबाव", "हवेचा दाब"],
        SensorType::LinePressure => ["line pressure", "पाइप में दबाव", "पाइपमधील दाब"],
        SensorType::WindSpeed => ["wind speed", "हवा की स्पीड", "वाऱ्याची स्पीड"],
        SensorType::WindDirection => ["wind direction", "हवा की दिशा", "वाऱ्याची दिशा"],
        SensorType::Rain => ["rain", "बारिश", "पाऊस"],
        SensorType::RainRate => ["rain rate", "बारिश की तेज़ी", "पावसाचा जोर"],
        SensorType::Flow => ["water flow", "पानी का बहाव", "पाण्याचा प्रवाह"],
        SensorType::Volume => ["volume of water", "पानी की मात्रा", "पाण्याचे प्रमाण"],
        SensorType::Par => ["PAR light", "पीएआर (PAR) रोशनी", "पीएआर (PAR) प्रकाश"],
        SensorType::UvIndex => ["UV index", "यूवी सूचकांक", "यूव्ही निर्देशांक"],
        SensorType::SolarRadiation => ["solar radiation", "सूर्य का विकिरण", "सूर्याचे प्रारण"],
        SensorType::Battery => ["battery", "बैटरी", "बॅटरी"],
        SensorType::Voltage => ["voltage", "वोल्टेज", "व्होल्टेज"],
        SensorType::Current => ["current", "करंट", "करंट"],
        SensorType::Power => ["power", "बिजली का लोड", "विजेचा भार"],
        SensorType::Energy => ["energy", "बिजली की खपत", "विजेचा वापर"],
        SensorType::Frequency => ["frequency", "फ़्रीक्वेंसी", "वारंवारता"],
        SensorType::PhasePresent => ["phase present", "फ़ेज़ मौजूद", "फेज उपलब्ध"],
        SensorType::Weight => ["weight", "वज़न", "वजन"],
        SensorType::Distance => ["distance", "दूरी", "अंतर"],
        SensorType::CoLevel => ["carbon monoxide", "कार्बन मोनोऑक्साइड", "कार्बन मोनॉक्साइड"],
        SensorType::Nh3Level => ["ammonia", "अमोनिया", "अमोनिया"],
        SensorType::VapourPressureDeficit => [
            "vapour pressure deficit",
            "हवा का सूखापन (VPD)",
            "हवेचा कोरडेपणा (VPD)",
        ],
        SensorType::DewPoint => ["dew point", "ओसांक", "दवबिंदू"],
        SensorType::WetBulb => ["wet bulb", "गीले बल्ब का तापमान", "ओल्या बल्बचे तापमान"],
        SensorType::AbsoluteHumidity => ["water in the air", "हवा में पानी", "हवेतील पाणी"],
        SensorType::DailyLightIntegral => {
            ["light of the day", "दिन भर की रोशनी", "दिवसभराचा प्रकाश"]
        }
        SensorType::GrowingDegreeDays => [
            "growing degree days",
            "गर्मी के दिन (GDD)",
            "उष्णता दिवस (GDD)",
        ],
        SensorType::RateOfChange => ["rate of change", "बदलाव की स्पीड", "बदलाची स्पीड"],
        SensorType::Hours => ["hours", "घंटे", "तास"],
        SensorType::Number => ["number", "संख्या", "संख्या"],
    };
    pick(language, texts)
}

fn amount(language: Language, watched: &Watched, value: &str) -> String {
    let value = language.digits(value);
    match (watched.sensor.unit(), language) {
        ("", _) => value,
        (unit @ ("%" | "°"), _) => format!("{value}{unit}"),
        ("lux", Hi | Mr) => format!("{value} लक्स"),
        ("ppm", Hi | Mr) => format!("{value} पीपीएम"),
        (unit, _) => format!("{value} {unit}"),
    }
}

/// "temperature above 35 °C", and where it is known what was measured "temperature 36.5 °C (limit: above 35 °C)".
fn condition(language: Language, watched: &Watched, seen: Option<&str>) -> String {
    let what = quantity(language, watched.sensor);
    let limit = limit(language, watched);
    let Some(seen) = seen else {
        return format!("{what} {limit}");
    };
    let seen = amount(language, watched, seen);
    match language {
        En => format!("{what} {seen} (limit: {limit})"),
        Hi => format!("{what} {seen} (सीमा: {limit})"),
        Mr => format!("{what} {seen} (मर्यादा: {limit})"),
    }
}

fn limit(language: Language, watched: &Watched) -> String {
    let value = amount(language, watched, &watched.value);
    match (language, watched.operator) {
        (En, Operator::Gt) => format!("above {value}"),
        (En, Operator::Gte) => format!("at or above {value}"),
        (En, Operator::Lt) => format!("below {value}"),
        (En, Operator::Lte) => format!("at or below {value}"),
        (En, Operator::Eq | Operator::Between) => format!("at {value}"),
        (Hi, Operator::Gt) => format!("{value} से ऊपर"),
        (Hi, Operator::Gte) => format!("{value} या उससे ऊपर"),
        (Hi, Operator::Lt) => format!("{value} से नीचे"),
        (Hi, Operator::Lte) => format!("{value} या उससे नीचे"),
        (Hi, Operator::Eq | Operator::Between) => format!("{value} पर"),
        (Mr, Operator::Gt) => format!("{value} पेक्षा जास्त"),
        (Mr, Operator::Gte) => format!("{value} किंवा त्याहून जास्त"),
        (Mr, Operator::Lt) => format!("{value} पेक्षा कमी"),
        (Mr, Operator::Lte) => format!("{value} किंवा त्याहून कमी"),
        (Mr, Operator::Eq | Operator::Between) => format!("नेमके {value}"),
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
pub(super) fn watched(language: Language, watch: &Watch) -> String {
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
        .enumerate()
        .map(|(n, c)| condition(language, c, watch.seen.get(n).and_then(Option::as_deref)))
        .collect();
    let mut text = conditions.join(joint);
    if watch.hold_sec > 0 {
        text.push_str(if language == En { " " } else { ", " });
        text.push_str(&held(language, watch.hold_sec));
    }
    at_place(language, watch.place.as_deref(), &text)
}
