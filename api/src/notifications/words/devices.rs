//! Devices and their commands in words.

use super::{Texts, pick, quoted};
use crate::language::Language::{self, En, Hi, Mr};
use crate::language::lease_text;
use crate::notifications::notice::{Named, Ordered};

/// A text with the place in front of it; without, for the whole farm.
pub(super) fn placed(device: &Named, text: &str) -> String {
    match &device.place {
        Some(place) => format!("{place}: {text}"),
        None => text.to_owned(),
    }
}

pub(super) fn locked(language: Language, device: &Named, reason: &str) -> (String, String) {
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
        other => lease_text(other).map_or_else(|| quoted(other), |t| t.say(language).to_owned()),
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

pub(super) fn unlocked(language: Language, device: &Named) -> (String, String) {
    let name = &device.name;
    match language {
        En => (
            format!("{name} is unlocked"),
            placed(
                device,
                "it takes commands again, and the rules may start it",
            ),
        ),
        Hi => (
            format!("{name} का ताला खुल गया"),
            placed(device, "यह फिर से आदेश लेगा, और नियम इसे चालू कर सकते हैं"),
        ),
        Mr => (
            format!("{name} चे कुलूप उघडले"),
            placed(device, "ते पुन्हा आदेश घेईल, आणि नियम ते चालू करू शकतात"),
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
        "set_speed" => {
            pick(language, ["Speed", "स्पीड", "स्पीड"]).to_owned() + value(percent).as_str()
        }
        "set_position" => {
            pick(language, ["Open", "खोलें", "उघडा"]).to_owned() + value(percent).as_str()
        }
        "set_flow_rate" => {
            pick(language, ["Flow", "बहाव", "प्रवाह"]).to_owned()
                + value([" ml/s", " मिली/सेकंड", " मिली/सेकंद"]).as_str()
        }
        "pulse" => {
            let text = pick(language, ["Pulse", "", ""]).to_owned()
                + value([" s", " सेकंड चलाना", " सेकंद चालवणे"]).as_str();
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

pub(super) fn failed(language: Language, ordered: &Ordered) -> (String, String) {
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

pub(super) fn timed_out(language: Language, ordered: &Ordered) -> (String, String) {
    let name = &ordered.device.name;
    let what = order(language, ordered);
    match language {
        En => (
            format!("No answer from {name}"),
            placed(
                &ordered.device,
                &format!(
                    "{} was not confirmed in time. Check whether it was done before you send it again.",
                    order_by(language, ordered)
                ),
            ),
        ),
        Hi => (
            format!("{name} से जवाब नहीं मिला"),
            placed(
                &ordered.device,
                &match &ordered.by {
                    None => format!(
                        "“{what}” की समय पर पुष्टि नहीं हुई। दोबारा भेजने से पहले देख लें कि काम हुआ या नहीं।"
                    ),
                    Some(by) => {
                        format!(
                            "{by} के आदेश “{what}” की समय पर पुष्टि नहीं हुई। दोबारा भेजने से पहले देख लें कि काम हुआ या नहीं।"
                        )
                    }
                },
            ),
        ),
        Mr => (
            format!("{name} कडून उत्तर नाही"),
            placed(
                &ordered.device,
                &match &ordered.by {
                    None => format!(
                        "“{what}” ची वेळेत खात्री झाली नाही. पुन्हा पाठवण्यापूर्वी काम झाले का ते पाहा."
                    ),
                    Some(by) => format!(
                        "{by} यांच्या “{what}” या आदेशाची वेळेत खात्री झाली नाही. पुन्हा पाठवण्यापूर्वी काम झाले का ते पाहा."
                    ),
                },
            ),
        ),
    }
}
