//! What people did, in each language, by the audit log's word for it.

use super::words::Phrase;

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
