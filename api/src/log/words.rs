//! The log's phrases in each language. A phrase has its places in braces: `{rule}`, `{device}`, `{orders}`, `{why}`, `{name}`.

use crate::language::Language;

/// A phrase in English, Hindi and Marathi.
pub(super) struct Phrase(&'static str, &'static str, &'static str);

impl Phrase {
    pub(super) const fn say(&self, language: Language) -> &'static str {
        match language {
            Language::En => self.0,
            Language::Hi => self.1,
            Language::Mr => self.2,
        }
    }
}

macro_rules! phrases {
    ($($(#[$doc:meta])* $name:ident = $en:literal, $hi:literal, $mr:literal;)+) => {
        $($(#[$doc])* pub(super) const $name: Phrase = Phrase($en, $hi, $mr);)+
    };
}

phrases! {
    BY_HAND = "Manual command: {orders}{for}", "मैनुअल आदेश: {orders}{for}", "मॅन्युअल आदेश: {orders}{for}";
    FOR = " for {time}", ", {time} के लिए", ", {time}";
    RELEASE = "{device} given back to automatic control{then}", "{device} को फिर ऑटो पर छोड़ा{then}", "{device} पुन्हा ऑटोवर सोडले{then}";
    MANUAL_ENDED = "Manual control of {device} ended", "{device}: मैनुअल ख़त्म", "{device}: मॅन्युअल संपले";
    RULE_FIRED = "Rule \"{rule}\" started: {orders}", "नियम \"{rule}\" शुरू हुआ: {orders}", "नियम \"{rule}\" सुरू झाला: {orders}";
    RULE_FIRED_ONLY = "Rule \"{rule}\" started", "नियम \"{rule}\" शुरू हुआ", "नियम \"{rule}\" सुरू झाला";
    RULE_BLOCKED = "Rule \"{rule}\" was not started: {why}", "नियम \"{rule}\" शुरू नहीं हुआ: {why}", "नियम \"{rule}\" सुरू झाला नाही: {why}";
    RULE_STOPPED = "Rule \"{rule}\" stopped: {why}", "नियम \"{rule}\" रुका: {why}", "नियम \"{rule}\" थांबला: {why}";
    RULE_COMMAND = "Rule \"{rule}\": {orders}", "नियम \"{rule}\": {orders}", "नियम \"{rule}\": {orders}";
    ACTION_MISSED = "Rule \"{rule}\": the delayed action on {device} was skipped: the server was down when it was due",
        "नियम \"{rule}\": {device} का काम, जो कुछ देर बाद होना था, सर्वर बंद रहने के कारण छूट गया",
        "नियम \"{rule}\": {device} चे काही वेळाने करायचे काम सर्व्हर बंद असल्याने राहून गेले";
    PULSE_SUPPRESSED = "Rule \"{rule}\": {device} was not run: {why}", "नियम \"{rule}\": {device} को नहीं चलाया गया: {why}", "नियम \"{rule}\": {device} चालवले नाही: {why}";
    REST_COMMAND = "No rule needs it: {orders}", "किसी नियम को ज़रूरत नहीं: {orders}", "कोणत्याही नियमाला गरज नाही: {orders}";
    LOCKED = "{device} locked: {why}", "{device} पर ताला लगा: {why}", "{device} ला कुलूप लागले: {why}";
    UNLOCKED = "{device} unlocked", "{device} का ताला खुला", "{device} चे कुलूप उघडले";
    UNLOCK_REFUSED = "{device} could not be unlocked", "{device} का ताला नहीं खुल सका", "{device} चे कुलूप उघडता आले नाही";
    STOPPED = "STOP: {place} off and locked", "STOP: {place} बंद, ताला लगा", "STOP: {place} बंद, कुलूपबंद";
    SAFETY_ON = "{device} went into safety mode", "{device} का सुरक्षा मोड लगा", "{device} चा सुरक्षा मोड सुरू झाला";
    SAFETY_OFF = "{device} left safety mode", "{device} का सुरक्षा मोड हटा", "{device} चा सुरक्षा मोड संपला";
    SAFE_COMMAND = "Put in its safe setting: {orders}", "सुरक्षित स्थिति में लाया गया: {orders}", "सुरक्षित स्थितीत आणले: {orders}";
    CORRECTED = "It did not do what it was told, and is told again: {orders}", "उसने आदेश का पालन नहीं किया, फिर से आदेश दिया गया: {orders}", "त्याने आदेश पाळला नाही, पुन्हा आदेश दिला: {orders}";
    DEVICE_OFFLINE = "{device} cannot be reached", "{device} से संपर्क नहीं है", "{device} शी संपर्क नाही";
    DEVICE_ONLINE = "{device} can be reached again", "{device} से फिर संपर्क हुआ", "{device} शी पुन्हा संपर्क झाला";
    CONTROLLER_OFFLINE = "Controller {device} cannot be reached", "कंट्रोलर {device} से संपर्क नहीं है", "कंट्रोलर {device} शी संपर्क नाही";
    CONTROLLER_ONLINE = "Controller {device} is connected", "कंट्रोलर {device} से संपर्क हुआ", "कंट्रोलर {device} शी संपर्क झाला";
    ALERT_RAISED = "Alert \"{name}\" raised", "चेतावनी \"{name}\" जारी हुई", "इशारा \"{name}\" जारी झाला";
    ALERT_DELETED = "Alert \"{name}\" was deleted while it was raised", "चेतावनी \"{name}\" जारी रहते हुए हटाई गई", "इशारा \"{name}\" जारी असताना हटवला गेला";
    ALERT_DISABLED = "Alert \"{name}\" was switched off while it was raised", "चेतावनी \"{name}\" जारी रहते हुए बंद की गई", "इशारा \"{name}\" जारी असताना बंद केला गेला";
    ALERT_CHANGED = "Alert \"{name}\" was changed while it was raised, and starts anew", "चेतावनी \"{name}\" जारी रहते हुए बदली गई और नए सिरे से देखी जा रही है", "इशारा \"{name}\" जारी असताना बदलला गेला, आणि नव्याने तपासला जात आहे";
    ALERT_SENSORS_CHANGED = "Alert \"{name}\" starts anew: its sensors changed while it was raised", "चेतावनी \"{name}\" नए सिरे से देखी जा रही है: जारी रहते हुए इसके सेंसर बदले", "इशारा \"{name}\" नव्याने तपासला जात आहे: जारी असताना त्याचे सेन्सर बदलले";
    ALERT_RESOLVED = "Alert \"{name}\" resolved", "चेतावनी \"{name}\" ख़त्म हुई", "इशारा \"{name}\" संपला";
    SENSOR_STALE = "No new reading from sensor {name}", "सेंसर {name} से नई रीडिंग नहीं आई", "सेन्सर {name} कडून नवीन रीडिंग आले नाही";
    SENSORS_STALE = "No new readings from {count} sensors, {name} among them", "{name} समेत {count} सेंसरों से नई रीडिंग नहीं आई", "{name} सह {count} सेन्सरकडून नवीन रीडिंग आले नाही";

    LEFT_OUT = " ({leftOut} more of this before were left out)", " (इससे पहले की ऐसी {leftOut} घटनाएँ नहीं लिखी गईं)",
        " (यापूर्वीच्या अशा {leftOut} घटना लिहिल्या नाहीत)";

    /// Between the parts of a list.
    AND = ", ", ", ", ", ";
    ON = "{device} on", "{device} चालू", "{device} चालू";
    OFF = "{device} off", "{device} बंद", "{device} बंद";
    SPEED = "{device} at {value}%", "{device} {value}% स्पीड पर", "{device} {value}% स्पीडने";
    POSITION = "{device} open {value}%", "{device} को {value}% खोला", "{device} {value}% उघडे";
    FLOW = "{device} at {value} ml/s", "{device} से {value} मिली/सेकंड", "{device} मधून {value} मिली/सेकंद";
    PULSE = "{device} on for {value} s", "{device} {value} सेकंड चालू", "{device} {value} सेकंद चालू";
    BACK = "{device} back to automatic", "{device} फिर ऑटो पर", "{device} पुन्हा ऑटोवर";
    SECONDS = "{n} s", "{n} सेकंड", "{n} सेकंद";
    MINUTE = "{n} min", "{n} मिनट", "{n} मिनिट";
    MINUTES = "{n} min", "{n} मिनट", "{n} मिनिटे";
    HOURS = "{n} h", "{n} घंटे", "{n} तास";

    WHY_STOP_BEFORE = "its stop condition is true already", "उसे रोकने की शर्त पहले से पूरी है", "तो थांबवण्याची अट आधीच पूर्ण आहे";
    WHY_STOP = "its stop condition was true for long enough", "रोकने की शर्त पूरी हुई", "थांबवण्याची अट पूर्ण झाली";
    WHY_CLEARED = "its trigger is no longer true", "शुरू करने वाली शर्त अब नहीं रही", "सुरू करणारी अट आता राहिली नाही";
    WHY_SIGNAL = "its sensors send no recent readings", "उसके सेंसर ताज़ा रीडिंग नहीं दे रहे", "त्याचे सेन्सर ताजे रीडिंग देत नाहीत";
    WHY_DEACTIVATED = "it was changed or switched off", "उसे बदला या बंद किया गया", "तो बदलला किंवा बंद केला गेला";
    WHY_OFFLINE = "it cannot be reached", "उससे संपर्क नहीं है", "त्याच्याशी संपर्क नाही";
    WHY_LOCKED = "it is locked", "उस पर ताला है", "त्याला कुलूप आहे";
    WHY_SAFETY = "it is in safety mode", "वह सुरक्षा मोड में है", "ते सुरक्षा मोडमध्ये आहे";
    WHY_MANUAL = "it is under manual control", "उपकरण मैनुअल पर है", "ते मॅन्युअलवर आहे";
    WHY_OUTRANKED = "a rule with higher priority controls it", "वह ऊँची प्राथमिकता वाले नियम के पास है", "ते अधिक प्राधान्याच्या नियमाकडे आहे";
    WHY_ON = "it is already on", "वह पहले से चालू है", "ते आधीच चालू आहे";
    WHY_MAX_ON = "it was on for too long", "वह बहुत देर तक चालू रहा", "ते खूप वेळ चालू राहिले";
    WHY_KEEPS_STOPPING = "it keeps stopping by itself", "वह बार-बार अपने आप बंद हो जाता है", "ते पुन्हा पुन्हा आपोआप बंद पडते";
    WHY_KEEPS_STARTING = "it keeps starting by itself", "वह बार-बार अपने आप चालू हो जाता है", "ते पुन्हा पुन्हा आपोआप सुरू होते";
    WHY_PULSES = "it has used up its pulse time for this hour", "इस घंटे में चलाने की तय सीमा पूरी हो चुकी है", "या तासात चालवण्याची ठरलेली मर्यादा संपली आहे";

    /// For what a later version wrote.
    UNKNOWN = "Another entry: {action}", "अन्य एंट्री: {action}", "इतर नोंद: {action}";
}

/// What people did, by the audit log's word for it.
const RECORDS: &[(&str, Phrase)] = &[
    (
        "rule_created",
        Phrase(
            "Rule \"{name}\" created",
            "नियम \"{name}\" बनाया गया",
            "नियम \"{name}\" तयार केला",
        ),
    ),
    (
        "rule_changed",
        Phrase(
            "Rule \"{name}\" changed",
            "नियम \"{name}\" बदला गया",
            "नियम \"{name}\" बदलला",
        ),
    ),
    (
        "rule_deleted",
        Phrase(
            "Rule \"{name}\" deleted",
            "नियम \"{name}\" हटाया गया",
            "नियम \"{name}\" हटवला",
        ),
    ),
    (
        "rule_enabled",
        Phrase(
            "Rule \"{name}\" enabled",
            "नियम \"{name}\" चालू किया गया",
            "नियम \"{name}\" चालू केला",
        ),
    ),
    (
        "rule_disabled",
        Phrase(
            "Rule \"{name}\" disabled",
            "नियम \"{name}\" बंद किया गया",
            "नियम \"{name}\" बंद केला",
        ),
    ),
    (
        "rule_deployed",
        Phrase(
            "Rule \"{name}\" deployed",
            "नियम \"{name}\" लागू किया गया",
            "नियम \"{name}\" लागू केला",
        ),
    ),
    (
        "rule_withdrawn",
        Phrase(
            "Rule \"{name}\" made a draft again",
            "नियम \"{name}\" फिर से कच्चा किया गया",
            "नियम \"{name}\" पुन्हा मसुदा झाला",
        ),
    ),
    (
        "alert_created",
        Phrase(
            "Alert \"{name}\" set up",
            "चेतावनी \"{name}\" बनाई गई",
            "इशारा \"{name}\" तयार केला",
        ),
    ),
    (
        "alert_changed",
        Phrase(
            "Alert \"{name}\" changed",
            "चेतावनी \"{name}\" बदली गई",
            "इशारा \"{name}\" बदलला",
        ),
    ),
    (
        "alert_deleted",
        Phrase(
            "Alert \"{name}\" deleted",
            "चेतावनी \"{name}\" हटाई गई",
            "इशारा \"{name}\" हटवला",
        ),
    ),
    (
        "alert_enabled",
        Phrase(
            "Alert \"{name}\" switched on",
            "चेतावनी \"{name}\" चालू की गई",
            "इशारा \"{name}\" चालू केला",
        ),
    ),
    (
        "alert_disabled",
        Phrase(
            "Alert \"{name}\" switched off",
            "चेतावनी \"{name}\" बंद की गई",
            "इशारा \"{name}\" बंद केला",
        ),
    ),
    ("sign_in", Phrase("Signed in", "लॉगिन किया", "लॉगिन केले")),
    (
        "sign_in_failed",
        Phrase("A sign-in failed", "लॉगिन नहीं हो सका", "लॉगिन होऊ शकले नाही"),
    ),
    ("sign_out", Phrase("Signed out", "लॉगआउट किया", "लॉगआउट केले")),
    (
        "session_ended",
        Phrase(
            "Signed out another device",
            "दूसरे फ़ोन या कंप्यूटर से लॉगआउट किया",
            "दुसऱ्या फोन किंवा संगणकावरून लॉगआउट केले",
        ),
    ),
    (
        "sessions_ended",
        Phrase(
            "Signed out everywhere",
            "सब जगह से लॉगआउट किया",
            "सगळीकडून लॉगआउट केले",
        ),
    ),
    (
        "registered",
        Phrase(
            "Created the account and the farm",
            "खाता और फ़ार्म बनाया",
            "खाते आणि शेत तयार केले",
        ),
    ),
    (
        "password_set",
        Phrase("Set a new password", "नया पासवर्ड रखा", "नवीन पासवर्ड ठेवला"),
    ),
    (
        "profile_changed",
        Phrase(
            "Changed their profile",
            "अपनी जानकारी बदली",
            "स्वतःची माहिती बदलली",
        ),
    ),
    (
        "user_added",
        Phrase("{name} added", "{name} को जोड़ा गया", "{name} यांना जोडले"),
    ),
    (
        "user_changed",
        Phrase(
            "Details of {name} changed",
            "{name} की जानकारी बदली गई",
            "{name} यांची माहिती बदलली",
        ),
    ),
    (
        "role_changed",
        Phrase(
            "Role of {name} changed to {role}",
            "{name} की भूमिका बदलकर {role} की गई",
            "{name} यांची भूमिका बदलून {role} केली",
        ),
    ),
    (
        "user_activated",
        Phrase(
            "{name} made active",
            "{name} को सक्रिय किया गया",
            "{name} यांना सक्रिय केले",
        ),
    ),
    (
        "user_deactivated",
        Phrase(
            "{name} made inactive",
            "{name} को निष्क्रिय किया गया",
            "{name} यांना निष्क्रिय केले",
        ),
    ),
    (
        "user_signed_out",
        Phrase(
            "All sign-ins of {name} ended",
            "{name} के सभी साइन-इन समाप्त किए गए",
            "{name} यांची सर्व साइन-इन संपवली",
        ),
    ),
    (
        "contact_verified",
        Phrase(
            "Showed that a contact is theirs",
            "दिखाया कि संपर्क उन्हीं का है",
            "संपर्क स्वतःचा असल्याचे दाखवले",
        ),
    ),
    (
        "user_removed",
        Phrase("{name} removed", "{name} को हटाया गया", "{name} यांना हटवले"),
    ),
    (
        "invite_made",
        Phrase(
            "Somebody invited as {role}",
            "{role} के रूप में न्योता बनाया गया",
            "{role} म्हणून आमंत्रण तयार केले",
        ),
    ),
    (
        "invite_revoked",
        Phrase("An invite revoked", "न्योता वापस लिया गया", "आमंत्रण मागे घेतले"),
    ),
    (
        "invite_accepted",
        Phrase(
            "Accepted the invite, as {role}",
            "{role} के रूप में न्योता स्वीकार किया",
            "{role} म्हणून आमंत्रण स्वीकारले",
        ),
    ),
    (
        "asset_registered",
        Phrase(
            "Controller {subject} registered: {name}",
            "कंट्रोलर {subject} दर्ज किया गया: {name}",
            "कंट्रोलर {subject} नोंदवला: {name}",
        ),
    ),
    (
        "controller_secret_renewed",
        Phrase(
            "New password for controller {subject}: {name}",
            "कंट्रोलर {subject} का नया पासवर्ड: {name}",
            "कंट्रोलर {subject} साठी नवा पासवर्ड: {name}",
        ),
    ),
    (
        "controller_disabled",
        Phrase(
            "Controller {subject} shut out: {name}",
            "कंट्रोलर {subject} को रोका गया: {name}",
            "कंट्रोलर {subject} ला रोखले: {name}",
        ),
    ),
    (
        "controller_enabled",
        Phrase(
            "Controller {subject} let in again: {name}",
            "कंट्रोलर {subject} को फिर से अनुमति दी गई: {name}",
            "कंट्रोलर {subject} ला पुन्हा परवानगी दिली: {name}",
        ),
    ),
    (
        "controller_removed",
        Phrase(
            "Controller {subject} removed: {name}",
            "कंट्रोलर {subject} हटाया गया: {name}",
            "कंट्रोलर {subject} काढला: {name}",
        ),
    ),
    (
        "controller_released",
        Phrase(
            "Controller {subject} released by whoever runs the server: {name}",
            "सर्वर चलाने वाले ने कंट्रोलर {subject} को मुक्त किया: {name}",
            "सर्व्हर चालवणाऱ्याने कंट्रोलर {subject} मोकळा केला: {name}",
        ),
    ),
    (
        "sensor_removed",
        Phrase(
            "Sensor \"{name}\" removed",
            "सेंसर \"{name}\" हटाया गया",
            "सेन्सर \"{name}\" काढला",
        ),
    ),
    (
        "device_removed",
        Phrase(
            "Device \"{name}\" removed",
            "उपकरण \"{name}\" हटाया गया",
            "उपकरण \"{name}\" काढले",
        ),
    ),
    (
        "task_created",
        Phrase(
            "Task \"{name}\" created",
            "काम \"{name}\" बनाया गया",
            "काम \"{name}\" तयार केले",
        ),
    ),
    (
        "task_changed",
        Phrase(
            "Task \"{name}\" changed",
            "काम \"{name}\" बदला गया",
            "काम \"{name}\" बदलले",
        ),
    ),
    (
        "task_moved",
        Phrase(
            "Task \"{name}\" moved",
            "काम \"{name}\" खिसकाया गया",
            "काम \"{name}\" हलवले",
        ),
    ),
    (
        "task_deleted",
        Phrase(
            "Task \"{name}\" deleted",
            "काम \"{name}\" हटाया गया",
            "काम \"{name}\" हटवले",
        ),
    ),
    (
        "polyhouse_created",
        Phrase(
            "Polyhouse \"{name}\" set up",
            "पॉलीहाउस \"{name}\" बनाया गया",
            "पॉलीहाऊस \"{name}\" तयार केले",
        ),
    ),
    (
        "polyhouse_changed",
        Phrase(
            "Polyhouse \"{name}\" changed",
            "पॉलीहाउस \"{name}\" बदला गया",
            "पॉलीहाऊस \"{name}\" बदलले",
        ),
    ),
    (
        "polyhouse_deleted",
        Phrase(
            "Polyhouse \"{name}\" deleted",
            "पॉलीहाउस \"{name}\" हटाया गया",
            "पॉलीहाऊस \"{name}\" हटवले",
        ),
    ),
    (
        "zone_created",
        Phrase(
            "Zone \"{name}\" set up",
            "ज़ोन \"{name}\" बनाया गया",
            "झोन \"{name}\" तयार केला",
        ),
    ),
    (
        "zone_changed",
        Phrase(
            "Zone \"{name}\" changed",
            "ज़ोन \"{name}\" बदला गया",
            "झोन \"{name}\" बदलला",
        ),
    ),
    (
        "zone_deleted",
        Phrase(
            "Zone \"{name}\" deleted",
            "ज़ोन \"{name}\" हटाया गया",
            "झोन \"{name}\" हटवला",
        ),
    ),
    (
        "reservoir_created",
        Phrase(
            "Reservoir \"{name}\" set up",
            "टंकी \"{name}\" बनाई गई",
            "टाकी \"{name}\" तयार केली",
        ),
    ),
    (
        "reservoir_changed",
        Phrase(
            "Reservoir \"{name}\" changed",
            "टंकी \"{name}\" बदली गई",
            "टाकी \"{name}\" बदलली",
        ),
    ),
    (
        "reservoir_deleted",
        Phrase(
            "Reservoir \"{name}\" deleted",
            "टंकी \"{name}\" हटाई गई",
            "टाकी \"{name}\" हटवली",
        ),
    ),
    (
        "device_changed",
        Phrase(
            "Name or place of device \"{name}\" changed",
            "उपकरण \"{name}\" का नाम या जगह बदली गई",
            "उपकरण \"{name}\" चे नाव किंवा ठिकाण बदलले",
        ),
    ),
    (
        "sensor_changed",
        Phrase(
            "Name or place of sensor \"{name}\" changed",
            "सेंसर \"{name}\" का नाम या जगह बदली गई",
            "सेन्सर \"{name}\" चे नाव किंवा ठिकाण बदलले",
        ),
    ),
];

/// The phrase of something that people did.
pub(super) fn record(action: &str) -> Option<&'static Phrase> {
    RECORDS
        .iter()
        .find(|(word, _)| *word == action)
        .map(|(_, phrase)| phrase)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::log::TOLD_ELSEWHERE;

    /// The first quoted word after each of the marks in all source files.
    fn words_after(mark: &str, dir: &Path, words: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                words_after(mark, &path, words);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source file");
            for (at, _) in text.match_indices(mark) {
                let rest = text[at + mark.len()..].trim_start();
                let word = rest.strip_prefix('"').and_then(|r| r.split('"').next());
                // these marks stand in this file too
                let word = word.filter(|w| w.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
                words.extend(word.map(str::to_owned));
            }
        }
    }

    #[test]
    fn everything_that_is_written_down_has_words() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut words = Vec::new();
        for mark in [
            ".audit(",
            "const CREATED: &'static str =",
            "const CHANGED: &'static str =",
            "const DELETED: &'static str =",
        ] {
            words_after(mark, &source, &mut words);
        }
        assert!(words.len() > 20, "{words:?}");
        for word in words
            .iter()
            .filter(|w| !TOLD_ELSEWHERE.contains(&w.as_str()))
        {
            assert!(record(word).is_some(), "the log has no words for {word}");
        }
    }
}
