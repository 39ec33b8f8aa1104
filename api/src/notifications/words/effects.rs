//! Devices that do nothing, and sensors that leave their neighbours, in words: what was seen, and where to look.

use harit_effects::Numbers;
use harit_engine::{Quantity, SensorType};

use super::devices::placed;
use super::{Texts, pick};
use crate::effects::Failing;
use crate::language::Language::{self, En, Hi, Mr};
use crate::notifications::notice::Named;

const AIR: Texts = [
    "Look whether it really turns or opens: fuse, belt, motor.",
    "देख लें कि यह सच में घूमता या खुलता है या नहीं: फ़्यूज़, बेल्ट, मोटर।",
    "ते खरेच फिरते किंवा उघडते का ते पाहा: फ्यूज, पट्टा, मोटर.",
];
const WATER: Texts = [
    "Look at hand valves, filter and pipe, and whether there is water.",
    "हाथ वाले वाल्व, फ़िल्टर और पाइप देख लें, और पानी है या नहीं।",
    "हाताचे व्हॉल्व्ह, पाण्याची जाळी आणि पाइप पाहा, आणि पाणी आहे का ते पाहा.",
];
const DOSE: Texts = [
    "Look at the can, the hose and the pump: is it empty, is there air in it?",
    "कैन, नली और पंप देख लें: ख़ाली तो नहीं, उसमें हवा तो नहीं?",
    "कॅन, नळी आणि पंप पाहा: रिकामा आहे का, त्यात हवा आहे का?",
];
const LIGHT: Texts = [
    "Look at the fuse, the lamps or the screen's motor.",
    "फ़्यूज़, लैंप या परदे की मोटर देख लें।",
    "फ्यूज, दिवे किंवा पडद्याची मोटर पाहा.",
];

/// What did not happen, and where to look.
const fn seen(numbers: Option<&Numbers>) -> (Texts, Texts) {
    let Some(n) = numbers else {
        return (["nothing changed", "कुछ नहीं बदला", "काही बदलले नाही"], AIR);
    };
    let rises = n.usual > n.without;
    match n.signal {
        SensorType::Temperature if rises => (
            ["it did not get warmer", "गर्मी नहीं बढ़ी", "उष्णता वाढली नाही"],
            AIR,
        ),
        SensorType::Temperature => (
            ["it did not get cooler", "ठंडक नहीं हुई", "गारवा आला नाही"],
            AIR,
        ),
        SensorType::Humidity if !rises => (
            [
                "the air did not get drier",
                "हवा सूखी नहीं हुई",
                "हवा कोरडी झाली नाही",
            ],
            AIR,
        ),
        SensorType::Humidity | SensorType::VapourPressureDeficit => (
            [
                "the air did not get damper",
                "हवा में नमी नहीं बढ़ी",
                "हवेत ओलावा वाढला नाही",
            ],
            WATER,
        ),
        SensorType::SoilMoisture => (
            [
                "the soil did not get wetter",
                "मिट्टी गीली नहीं हुई",
                "माती ओली झाली नाही",
            ],
            WATER,
        ),
        SensorType::ReservoirLevel => (
            [
                "the level did not change as usual",
                "पानी का स्तर हमेशा की तरह नहीं बदला",
                "पाण्याची पातळी नेहमीसारखी बदलली नाही",
            ],
            WATER,
        ),
        SensorType::Ph => (
            [
                "the pH did not change as usual",
                "pH हमेशा की तरह नहीं बदला",
                "pH नेहमीसारखा बदलला नाही",
            ],
            DOSE,
        ),
        SensorType::Ec => (
            [
                "the EC did not change as usual",
                "EC हमेशा की तरह नहीं बदला",
                "EC नेहमीसारखा बदलला नाही",
            ],
            DOSE,
        ),
        SensorType::Par | SensorType::LightIntensity => (
            [
                "the light did not change",
                "रोशनी नहीं बदली",
                "उजेड बदलला नाही",
            ],
            LIGHT,
        ),
        SensorType::Power => (
            ["it draws no power", "यह बिजली नहीं ले रहा", "ते वीज घेत नाही"],
            AIR,
        ),
        _ => (
            ["no water flows", "पानी नहीं बह रहा", "पाणी वाहत नाही"],
            WATER,
        ),
    }
}

pub(super) fn no_effect(language: Language, device: &Named, failing: &Failing) -> (String, String) {
    let name = &device.name;
    let (what, check) = seen(failing.numbers.as_ref());
    let (what, check) = (pick(language, what), pick(language, check));
    let minutes = language.digits(&failing.minutes.to_string());
    let runs = language.digits(&failing.runs.to_string());
    let title = match language {
        En => format!("{name} runs without effect"),
        Hi => format!("{name}: चलने पर भी असर नहीं"),
        Mr => format!("{name}: चालूनही परिणाम नाही"),
    };
    let text = match (language, failing.runs) {
        (En, ..=1) => format!("it has run for {minutes} min and {what}. {check}"),
        (Hi, ..=1) => format!("यह {minutes} मिनट से चल रहा है और {what}। {check}"),
        (Mr, ..=1) => format!("ते {minutes} मिनिटे चालले आणि {what}. {check}"),
        (En, _) => format!("it ran {runs} times and {what}. {check}"),
        (Hi, _) => format!("यह {runs} बार चला और {what}। {check}"),
        (Mr, _) => format!("ते {runs} वेळा चालले आणि {what}. {check}"),
    };
    (title, placed(device, &text))
}

pub(super) fn back(language: Language, device: &Named) -> (String, String) {
    let name = &device.name;
    let (title, text) = match language {
        En => (format!("{name} works again"), "its last run had an effect"),
        Hi => (
            format!("{name}: फिर असर दिख रहा है"),
            "पिछली बार चलने पर असर दिखा",
        ),
        Mr => (
            format!("{name}: पुन्हा परिणाम दिसतो"),
            "मागच्या वेळी चालल्यावर परिणाम दिसला",
        ),
    };
    (title, placed(device, text))
}

pub(super) fn drifts(
    language: Language,
    (sensor, other): (&Named, Option<&str>),
    of: SensorType,
    (now, usual): (Quantity, Quantity),
) -> (String, String) {
    let name = &sensor.name;
    let value = |q: Quantity| {
        let tenth = 100_000;
        let micro = (q.as_micro().abs() + tenth / 2) / tenth * tenth;
        let number = language.digits(&Quantity::from_micro(micro).to_string());
        format!("{number} {}", of.unit()).trim_end().to_owned()
    };
    let (now, usual) = (value(now), value(usual));
    let (title, text) = match (language, other) {
        (En, None) => (
            format!("{name} may measure wrongly"),
            format!(
                "it lies {now} from its neighbours, before it was {usual}. Clean it, or measure beside it."
            ),
        ),
        (Hi, None) => (
            format!("{name} शायद ग़लत नाप रहा है"),
            format!("आसपास के सेंसर से {now} का फ़र्क़ है, पहले {usual} था। इसे साफ़ करें, या पास में नापकर देखें।"),
        ),
        (Mr, None) => (
            format!("{name} कदाचित चुकीचे मोजते"),
            format!(
                "शेजारच्या सेन्सरपेक्षा {now} फरक आहे, आधी {usual} होता. ते साफ करा, किंवा शेजारी मोजून पाहा."
            ),
        ),
        (En, Some(other)) => (
            format!("{name} or {other} may measure wrongly"),
            format!(
                "they lie {now} apart, before it was {usual}. Clean both, or measure beside them."
            ),
        ),
        (Hi, Some(other)) => (
            format!("{name} या {other} शायद ग़लत नाप रहा है"),
            format!("दोनों में {now} का फ़र्क़ है, पहले {usual} था। दोनों साफ़ करें, या पास में नापकर देखें।"),
        ),
        (Mr, Some(other)) => (
            format!("{name} किंवा {other} कदाचित चुकीचे मोजते"),
            format!(
                "दोन्हींमध्ये {now} फरक आहे, आधी {usual} होता. दोन्ही साफ करा, किंवा शेजारी मोजून पाहा."
            ),
        ),
    };
    (title, placed(sensor, &text))
}
