//! The words of explanations, in English, Hindi and Marathi.

use harit_engine::explain::{Bound, Standing};
use harit_engine::{Duration, Operator, Truth};

use crate::language::Language;

/// A text in each language.
pub(super) type Texts = [&'static str; 3];

/// A text with a number: of one, and of any other.
pub(super) type Counted = [Texts; 2];

pub(super) const fn pick(language: Language, texts: Texts) -> &'static str {
    match language {
        Language::En => texts[0],
        Language::Hi => texts[1],
        Language::Mr => texts[2],
    }
}

pub(super) const ALL: Texts = ["all of these", "ये सभी", "हे सर्व"];
pub(super) const ANY: Texts = ["one of these", "इनमें से कोई एक", "यांपैकी एक"];
pub(super) const NOT: Texts = ["not this", "यह न हो", "हे नसावे"];
pub(super) const NOW: Texts = ["now {value}", "अभी {value}", "सध्या {value}"];
pub(super) const NO_READING: Texts = ["no fresh reading", "ताज़ा रीडिंग नहीं", "ताजे रीडिंग नाही"];
pub(super) const OF_SENSORS: Texts = [
    "{fresh} of {all} sensors",
    "{all} में से {fresh} सेंसर",
    "{all} पैकी {fresh} सेन्सर",
];
pub(super) const TIME: Texts = [
    "the time is from {from} to {to}",
    "समय {from} से {to} तक",
    "वेळ {from} ते {to}",
];
pub(super) const DAYS: Texts = ["the day is {days}", "दिन: {days}", "वार: {days}"];
pub(super) const DATES: Texts = [
    "the date is from {from} to {to}",
    "तारीख़ {from} से {to} तक",
    "तारीख {from} ते {to}",
];
pub(super) const RULE_RUNS: Texts = [
    "rule \"{rule}\" is running",
    "नियम \"{rule}\" चल रहा है",
    "नियम \"{rule}\" काम करत आहे",
];
pub(super) const DEVICE_ON: Texts = ["{device} is on", "{device} चालू है", "{device} चालू आहे"];
pub(super) const DEVICE_OFF: Texts = ["{device} is off", "{device} बंद है", "{device} बंद आहे"];
pub(super) const SUNRISE: Texts = ["sunrise", "सूर्योदय", "सूर्योदय"];
pub(super) const SUNSET: Texts = ["sunset", "सूर्यास्त", "सूर्यास्त"];
pub(super) const WEEKDAYS: [Texts; 7] = [
    ["Monday", "सोमवार", "सोमवार"],
    ["Tuesday", "मंगलवार", "मंगळवार"],
    ["Wednesday", "बुधवार", "बुधवार"],
    ["Thursday", "गुरुवार", "गुरुवार"],
    ["Friday", "शुक्रवार", "शुक्रवार"],
    ["Saturday", "शनिवार", "शनिवार"],
    ["Sunday", "रविवार", "रविवार"],
];

pub(super) const HELD: Texts = [
    "true for {held} of {length}, {samples} of {needed} readings",
    "लगातार {held} पूरी, चाहिए {length}; {needed} में से {samples} रीडिंग",
    "सलग {held} पूर्ण, हवे {length}; {needed} पैकी {samples} रीडिंग",
];
pub(super) const MUST_HOLD: Texts = [
    "must hold for {length}",
    "लगातार {length} पूरी रहनी चाहिए",
    "सलग {length} पूर्ण राहायला हवी",
];

pub(super) const IDLE: Texts = [
    "The rule waits: its condition is not true",
    "नियम नज़र रख रहा है: शर्त पूरी नहीं है",
    "नियम लक्ष ठेवत आहे: अट पूर्ण नाही",
];
pub(super) const IDLE_CLOCK: Texts = [
    "The rule waits for its next start",
    "नियम अगली बार शुरू होने के समय का इंतज़ार कर रहा है",
    "नियम पुढच्या सुरू होण्याच्या वेळेची वाट पाहत आहे",
];
pub(super) const PENDING: Texts = [
    "The condition is true, and must hold a while",
    "शर्त पूरी है, पर कुछ देर पूरी रहनी चाहिए",
    "अट पूर्ण आहे, पण काही वेळ पूर्ण राहायला हवी",
];
pub(super) const RUNNING: Texts = ["The rule is running", "नियम चल रहा है", "नियम काम करत आहे"];
pub(super) const INACTIVE: Texts = [
    "The rule is off or a draft: it does nothing",
    "नियम बंद या कच्चा (ड्राफ़्ट) है: वह कुछ नहीं करता",
    "नियम बंद आहे किंवा मसुदा आहे: तो काही करत नाही",
];

pub(super) const ACTIVATE: Texts = [
    "the rule must be switched on first",
    "पहले नियम चालू करना होगा",
    "आधी नियम चालू करावा लागेल",
];
pub(super) const MORE: Texts = [
    "{what}: {by} more ({bound})",
    "{what}: {by} और बढ़े ({bound})",
    "{what}: {by} आणखी वाढावे ({bound})",
];
pub(super) const LESS: Texts = [
    "{what}: {by} less ({bound})",
    "{what}: {by} और घटे ({bound})",
    "{what}: {by} आणखी कमी व्हावे ({bound})",
];
pub(super) const MUST_BE: Texts = [
    "{what}: a fresh reading {bound}",
    "{what}: ताज़ा रीडिंग {bound}",
    "{what}: ताजे रीडिंग {bound}",
];
pub(super) const MUST: Texts = [
    "must become true: {what}",
    "यह होना चाहिए: {what}",
    "हे व्हायला हवे: {what}",
];
pub(super) const MUST_NOT: Texts = [
    "must no longer be true: {what}",
    "यह नहीं रहना चाहिए: {what}",
    "हे राहायला नको: {what}",
];
pub(super) const THEN_FOR: Texts = [
    "and that for {time}",
    "और ऐसा लगातार {time} रहे",
    "आणि असे सलग {time} राहावे",
];
pub(super) const READINGS: Counted = [
    [
        "{n} more reading is needed",
        "{n} और रीडिंग चाहिए",
        "आणखी {n} रीडिंग हवे",
    ],
    [
        "{n} more readings are needed",
        "{n} और रीडिंग चाहिए",
        "आणखी {n} रीडिंग हवी",
    ],
];
pub(super) const NOT_ENOUGH: Texts = [
    "parts of the conditions contradict each other: as things are it cannot happen",
    "शर्तों के हिस्से एक-दूसरे के उलट हैं: अभी यह नहीं हो सकता",
    "अटींचे भाग एकमेकांच्या विरुद्ध आहेत: सध्या हे होऊ शकत नाही",
];

pub(super) const LOCK: Texts = [
    "Locked: {reason}",
    "ताला लगा है: {reason}",
    "कुलूप आहे: {reason}",
];
pub(super) const LOCK_BY: Texts = [
    "Locked by {by}: {reason}",
    "{by} ने ताला लगाया: {reason}",
    "{by} यांनी कुलूप लावले: {reason}",
];
pub(super) const STOPPED: Texts = ["Stopped: {reason}", "रोका गया: {reason}", "थांबवले: {reason}"];
pub(super) const STOPPED_BY: Texts = [
    "Stopped by {by}: {reason}",
    "{by} ने रोका: {reason}",
    "{by} यांनी थांबवले: {reason}",
];
pub(super) const SAFETY: Texts = [
    "Safety mode: {order}",
    "सुरक्षा मोड: {order}",
    "सुरक्षा मोड: {order}",
];
pub(super) const BY_HAND: Texts = ["Manual control: {order}", "मैनुअल: {order}", "मॅन्युअल: {order}"];
pub(super) const BY_HAND_OF: Texts = [
    "{by}, manual control: {order}",
    "{by}, मैनुअल: {order}",
    "{by}, मॅन्युअल: {order}",
];
pub(super) const LIMIT: Texts = [
    "A limit of the machine: {why}",
    "मशीन की सीमा: {why}",
    "यंत्राची मर्यादा: {why}",
];
pub(super) const CLAIM: Texts = [
    "Rule \"{rule}\" (priority {priority}): {order}",
    "नियम \"{rule}\" (प्राथमिकता {priority}): {order}",
    "नियम \"{rule}\" (प्राधान्य {priority}): {order}",
];
pub(super) const REST: Texts = [
    "If no rule wants it: {order}",
    "कोई नियम न चाहे तो: {order}",
    "कोणत्याही नियमाला नको असेल तर: {order}",
];
pub(super) const OFFLINE: Texts = [
    "The device cannot be reached: nothing is sent until it can be",
    "उपकरण से संपर्क नहीं है: संपर्क होने तक कुछ नहीं भेजा जाता",
    "उपकरणाशी संपर्क नाही: संपर्क होईपर्यंत काही पाठवले जात नाही",
];
pub(super) const PULSE: Texts = ["a short run", "थोड़ी देर चालू", "थोडा वेळ चालू"];
pub(super) const ON: Texts = ["on", "चालू", "चालू"];
pub(super) const OFF: Texts = ["off", "बंद", "बंद"];
pub(super) const SPEED: Texts = ["speed {value}%", "स्पीड {value}%", "स्पीड {value}%"];
pub(super) const OPEN: Texts = ["open {value}%", "{value}% खुला", "{value}% उघडे"];
pub(super) const FLOW: Texts = ["{value} ml/s", "{value} मिली/सेकंड", "{value} मिली/सेकंद"];
pub(super) const NEEDS: Texts = [
    "It needs {device}: {truth}",
    "इसे {device} चाहिए: {truth}",
    "याला {device} लागते: {truth}",
];
pub(super) const CARRIES: [Texts; 3] = [
    ["that is on", "वह चालू है", "ते चालू आहे"],
    ["that is not on", "वह चालू नहीं है", "ते चालू नाही"],
    [
        "not known whether that is on",
        "वह चालू है या नहीं, पता नहीं",
        "ते चालू आहे की नाही, माहीत नाही",
    ],
];
pub(super) const GROUP: Texts = [
    "Group {group}: {n} of {most} run",
    "समूह {group}: {most} में से {n} चालू",
    "गट {group}: {most} पैकी {n} चालू",
];
pub(super) const TIME_LEFT: Texts = [
    "{time} left for today",
    "आज के लिए {time} बाकी",
    "आजसाठी {time} शिल्लक",
];
pub(super) const THEN: Texts = [
    "If that ends: {what}",
    "यह ख़त्म हो तो: {what}",
    "हे संपले तर: {what}",
];

pub(super) const FREE: Texts = [
    "nothing stands in its way",
    "कोई रुकावट नहीं",
    "काही अडथळा नाही",
];
pub(super) const OUTRANKED: Texts = [
    "rule \"{rule}\" is stronger",
    "नियम \"{rule}\" की प्राथमिकता ज़्यादा है",
    "नियम \"{rule}\" ला प्राधान्य जास्त आहे",
];

pub(super) const ABSENT: Texts = [
    "It was not there for {time}",
    "यह {time} नहीं था",
    "हा {time} नव्हता",
];
pub(super) const WAS_OFF: Texts = [
    "It was off or a draft for {time}",
    "यह {time} बंद या कच्चा (ड्राफ़्ट) था",
    "हा {time} बंद किंवा मसुदा होता",
];
/// It had begun before.
pub(super) const RAN_ON: Texts = [
    "It was running already, {time} in all",
    "यह पहले से चल रहा था, कुल {time}",
    "हा आधीपासून काम करत होता, एकूण {time}",
];
pub(super) const RAN: Counted = [
    [
        "It ran once, {time} in all",
        "यह एक बार चला, कुल {time}",
        "हा एकदा चालला, एकूण {time}",
    ],
    [
        "It ran {n} times, {time} in all",
        "यह {n} बार चला, कुल {time}",
        "हा {n} वेळा चालला, एकूण {time}",
    ],
];
pub(super) const NEVER_RAN: Texts = [
    "It did not act in this time",
    "इस समय में यह नहीं चला",
    "या वेळेत हा चालला नाही",
];
pub(super) const NEAREST: Texts = [
    "Its condition held for {held} of {length} at most, with {samples} of {needed} readings",
    "शर्त लगातार ज़्यादा से ज़्यादा {held} पूरी रही, चाहिए {length}; {needed} में से {samples} रीडिंग के साथ",
    "अट सलग जास्तीत जास्त {held} पूर्ण राहिली, हवे {length}; {needed} पैकी {samples} रीडिंगसह",
];
pub(super) const FALSE_FOR: Texts = [
    "{what}: false for {time}",
    "{what}: {time} पूरी नहीं",
    "{what}: {time} पूर्ण नाही",
];
pub(super) const UNKNOWN_FOR: Texts = [
    "{what}: not known for {time}",
    "{what}: {time} पता नहीं",
    "{what}: {time} माहीत नाही",
];
pub(super) const CAME_TO: Texts = ["nearest {value}", "सबसे पास {value}", "सर्वात जवळ {value}"];
pub(super) const WOULD_AT: Texts = [
    "With {value} as its limit it would have acted",
    "सीमा {value} होती तो यह चलता",
    "मर्यादा {value} असती तर हा चालला असता",
];
pub(super) const KEPT: Texts = [
    "{device}, for {time} while it ran: {why}",
    "{device}, चलते समय {time}: {why}",
    "{device}, चालू असताना {time}: {why}",
];
pub(super) const BLOCKED: Counted = [
    [
        "Once it was about to start: {why}",
        "एक बार शुरू होने को था: {why}",
        "एकदा सुरू होणार होता: {why}",
    ],
    [
        "{n} times it was about to start: {why}",
        "{n} बार शुरू होने को था: {why}",
        "{n} वेळा सुरू होणार होता: {why}",
    ],
];
pub(super) const SKIPPED: Counted = [
    [
        "1 start was left out: {why}",
        "एक बार शुरू नहीं हुआ: {why}",
        "एकदा सुरू झाला नाही: {why}",
    ],
    [
        "{n} starts were left out: {why}",
        "{n} बार शुरू नहीं हुआ: {why}",
        "{n} वेळा सुरू झाला नाही: {why}",
    ],
];

pub(super) const COUNTS: Texts = ["counts", "गिना जाता है", "मोजला जातो"];
pub(super) const STALE: Texts = [
    "left out: silent for {time}",
    "नहीं गिना जाता: लगातार {time} चुप",
    "मोजला जात नाही: सलग {time} गप्प",
];
pub(super) const FAULT: Texts = [
    "left out: faulty readings",
    "नहीं गिना जाता: ख़राब रीडिंग",
    "मोजला जात नाही: सदोष रीडिंग",
];
pub(super) const NEVER: Texts = [
    "left out: it never sent a reading",
    "नहीं गिना जाता: कभी रीडिंग नहीं आई",
    "मोजला जात नाही: कधीच रीडिंग आले नाही",
];

/// A truth in a word.
pub(super) const fn truth(language: Language, truth: Truth) -> &'static str {
    pick(
        language,
        match truth {
            Truth::True => ["true", "पूरी", "पूर्ण"],
            Truth::False => ["false", "पूरी नहीं", "पूर्ण नाही"],
            Truth::Unknown => ["not known", "पता नहीं", "माहीत नाही"],
        },
    )
}

pub(super) const fn operator(language: Language, operator: Operator) -> &'static str {
    pick(
        language,
        match operator {
            Operator::Gt => [
                "{what} above {value}",
                "{what} {value} से ऊपर",
                "{what} {value} च्या वर",
            ],
            Operator::Gte => [
                "{what} at least {value}",
                "{what} कम से कम {value}",
                "{what} किमान {value}",
            ],
            Operator::Lt => [
                "{what} below {value}",
                "{what} {value} से नीचे",
                "{what} {value} च्या खाली",
            ],
            Operator::Lte => [
                "{what} at most {value}",
                "{what} ज़्यादा से ज़्यादा {value}",
                "{what} जास्तीत जास्त {value}",
            ],
            Operator::Eq => [
                "{what} about {value}",
                "{what} लगभग {value}",
                "{what} सुमारे {value}",
            ],
            Operator::Between => [
                "{what} from {value} to {max}",
                "{what} {value} से {max} तक",
                "{what} {value} ते {max}",
            ],
        },
    )
}

pub(super) const fn bound(language: Language, bound: Bound) -> &'static str {
    pick(
        language,
        match bound {
            Bound::Above => ["above {value}", "{value} से ऊपर", "{value} च्या वर"],
            Bound::AtLeast => ["at least {value}", "कम से कम {value}", "किमान {value}"],
            Bound::Below => ["below {value}", "{value} से नीचे", "{value} च्या खाली"],
            Bound::AtMost => [
                "at most {value}",
                "ज़्यादा से ज़्यादा {value}",
                "जास्तीत जास्त {value}",
            ],
        },
    )
}

pub(super) const fn standing(language: Language, standing: Standing) -> &'static str {
    pick(
        language,
        match standing {
            Standing::Counts => COUNTS,
            Standing::Stale => STALE,
            Standing::Fault => FAULT,
            Standing::Never => NEVER,
        },
    )
}

/// A length of time, in its two largest units and in the direct case: no phrase puts a postposition or an ending behind it.
pub(super) fn time(language: Language, of: Duration) -> String {
    let secs = of.as_millis().max(0) / 1_000;
    let unit = |n: i64, one: Texts, other: Texts| {
        let unit = pick(language, if n == 1 { one } else { other });
        format!("{} {unit}", language.digits(&n.to_string()))
    };
    let s = |n| unit(n, ["s", "सेकंड", "सेकंद"], ["s", "सेकंड", "सेकंद"]);
    let min = |n| unit(n, ["min", "मिनट", "मिनिट"], ["min", "मिनट", "मिनिटे"]);
    let h = |n| unit(n, ["h", "घंटा", "तास"], ["h", "घंटे", "तास"]);
    match (secs / 3_600, secs / 60 % 60, secs % 60) {
        (0, 0, n) => s(n),
        (0, n, 0) => min(n),
        (0, n, rest) if n < 10 => format!("{} {}", min(n), s(rest)),
        (0, n, _) => min(n),
        (n, 0, _) => h(n),
        (n, m, _) => format!("{} {}", h(n), min(m)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tell::Teller;
    use super::*;

    #[test]
    fn one_is_told_in_the_singular() {
        let all = |secs| {
            let told = |language| time(language, Duration::from_secs(secs));
            [Language::En, Language::Hi, Language::Mr].map(told)
        };
        assert_eq!(all(60), ["1 min", "1 मिनट", "१ मिनिट"]);
        assert_eq!(all(120), ["2 min", "2 मिनट", "२ मिनिटे"]);
        assert_eq!(all(3_660), ["1 h 1 min", "1 घंटा 1 मिनट", "१ तास १ मिनिट"]);
        assert_eq!(all(7_200), ["2 h", "2 घंटे", "२ तास"]);
        let counted = |texts, n| {
            let parts = [("time", "x"), ("why", "y")];
            let told = |language| Teller(language).counted(texts, n, &parts);
            [Language::En, Language::Hi, Language::Mr].map(told)
        };
        let once = [
            "It ran once, x in all",
            "यह एक बार चला, कुल x",
            "हा एकदा चालला, एकूण x",
        ];
        assert_eq!(counted(RAN, 1), once);
        let thrice = [
            "It ran 3 times, x in all",
            "यह 3 बार चला, कुल x",
            "हा ३ वेळा चालला, एकूण x",
        ];
        assert_eq!(counted(RAN, 3), thrice);
        assert_eq!(counted(SKIPPED, 1)[0], "1 start was left out: y");
        assert_eq!(counted(READINGS, 1)[2], "आणखी १ रीडिंग हवे");
    }
}
