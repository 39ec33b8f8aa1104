//! Controllers and sensors in words: who is silent, and who is heard again.

use std::fmt::Write;

use crate::language::Language::{self, En, Hi, Mr};
use crate::notifications::notice::Sensors;

pub(super) fn offline(language: Language, name: &str) -> (String, String) {
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

pub(super) fn online(language: Language, name: &str) -> (String, String) {
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
pub(super) fn names(language: Language, sensors: &Sensors) -> String {
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

pub(super) fn stale(language: Language, sensors: &Sensors) -> (String, String) {
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
                Hi => format!("{n} सेंसरों से रीडिंग नहीं आ रही"),
                Mr => format!("{n} सेन्सरकडून रीडिंग येत नाही"),
            };
            (title, all)
        }
    }
}

pub(super) fn fresh(language: Language, sensors: &Sensors) -> (String, String) {
    let all = names(language, sensors);
    let title = match (language, sensors.names.as_slice()) {
        (En, [name]) if sensors.count == 1 => format!("Readings from {name} again"),
        (Hi, [name]) if sensors.count == 1 => format!("{name} से फिर रीडिंग आ रही है"),
        (Mr, [name]) if sensors.count == 1 => format!("{name} कडून पुन्हा रीडिंग येत आहे"),
        _ => {
            let n = language.digits(&sensors.count.to_string());
            match language {
                En => format!("Readings from {n} sensors again"),
                Hi => format!("{n} सेंसरों से फिर रीडिंग आ रही है"),
                Mr => format!("{n} सेन्सरकडून पुन्हा रीडिंग येत आहे"),
            }
        }
    };
    (title, all)
}
