//! What people did, in each language, by the audit log's action.

use std::borrow::Cow;

use super::words::Phrase;
use crate::audit::{Action, Verb};
use crate::language::Language;
use crate::resource::Gender::{self, Feminine, Masculine, Neuter};
use crate::resource::Resource;

/// What is said of something new that people wrote down.
const fn added(gender: Gender, language: Language) -> &'static str {
    match (language, gender) {
        (Language::En, _) => "added",
        (Language::Hi, Feminine) => "दर्ज की गई",
        (Language::Hi, _) => "दर्ज किया गया",
        (Language::Mr, Masculine) => "नोंदवला",
        (Language::Mr, Feminine) => "नोंदवली",
        (Language::Mr, Neuter) => "नोंदवले",
    }
}

/// What was done to something of that gender.
const fn done(verb: Verb, gender: Gender, language: Language) -> &'static str {
    match (language, verb, gender) {
        (Language::En, Verb::Created, _) => "created",
        (Language::En, Verb::Changed, _) => "changed",
        (Language::En, Verb::Deleted, _) => "deleted",
        (Language::Hi, Verb::Created, Feminine) => "बनाई गई",
        (Language::Hi, Verb::Created, _) => "बनाया गया",
        (Language::Hi, Verb::Changed, Feminine) => "बदली गई",
        (Language::Hi, Verb::Changed, _) => "बदला गया",
        (Language::Hi, Verb::Deleted, Feminine) => "हटाई गई",
        (Language::Hi, Verb::Deleted, _) => "हटाया गया",
        (Language::Mr, Verb::Created, Masculine) => "तयार केला",
        (Language::Mr, Verb::Created, Feminine) => "तयार केली",
        (Language::Mr, Verb::Created, Neuter) => "तयार केले",
        (Language::Mr, Verb::Changed, Masculine) => "बदलला",
        (Language::Mr, Verb::Changed, Feminine) => "बदलली",
        (Language::Mr, Verb::Changed, Neuter) => "बदलले",
        (Language::Mr, Verb::Deleted, Masculine) => "हटवला",
        (Language::Mr, Verb::Deleted, Feminine) => "हटवली",
        (Language::Mr, Verb::Deleted, Neuter) => "हटवले",
    }
}

/// What was done to a resource, in each language. The name is put into `{name}` like into any other phrase.
fn of(resource: Resource, verb: Verb) -> Phrase {
    let about = resource.about();
    let ([en, hi, mr], [in_hindi, in_marathi]) = (about.noun, about.genders);
    let tell = |noun: &str, gender, language| {
        let done = if matches!(verb, Verb::Created) && about.is_written_down {
            added(gender, language)
        } else {
            done(verb, gender, language)
        };
        Cow::from(format!("{noun} \"{{name}}\" {done}"))
    };
    Phrase(
        tell(en, Masculine, Language::En),
        tell(hi, in_hindi, Language::Hi),
        tell(mr, in_marathi, Language::Mr),
    )
}

/// The phrase of something that people did; none for what the pipeline tells itself.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn phrase(action: Action) -> Option<Phrase> {
    let (en, hi, mr) = match action {
        Action::Of(resource, verb) => return Some(of(resource, verb)),
        Action::Command
        | Action::DeviceLock
        | Action::DeviceUnlock
        | Action::Stop
        | Action::StopOpen => return None,
        Action::LeaseTested => (
            "Switching off by itself tested: \"{name}\"",
            "अपने आप बंद होना जाँचा गया: \"{name}\"",
            "आपोआप बंद होणे तपासले: \"{name}\"",
        ),
        Action::RuleEnabled => (
            "Rule \"{name}\" enabled",
            "नियम \"{name}\" चालू किया गया",
            "नियम \"{name}\" चालू केला",
        ),
        Action::RuleDisabled => (
            "Rule \"{name}\" disabled",
            "नियम \"{name}\" बंद किया गया",
            "नियम \"{name}\" बंद केला",
        ),
        Action::RuleDeployed => (
            "Rule \"{name}\" deployed",
            "नियम \"{name}\" लागू किया गया",
            "नियम \"{name}\" लागू केला",
        ),
        Action::RuleDeployedOverHazards => (
            "Rule \"{name}\" deployed by an owner's word, over its hazards: {hazards}",
            "नियम \"{name}\" ख़तरे के बावजूद मालिक के कहने पर लागू किया गया: {hazards}",
            "नियम \"{name}\" धोका असूनही मालकाच्या सांगण्यावरून लागू केला: {hazards}",
        ),
        Action::RuleWithdrawn => (
            "Rule \"{name}\" made a draft again",
            "नियम \"{name}\" फिर से कच्चा किया गया",
            "नियम \"{name}\" पुन्हा मसुदा झाला",
        ),
        Action::AlertEnabled => (
            "Alert \"{name}\" switched on",
            "चेतावनी \"{name}\" चालू की गई",
            "इशारा \"{name}\" चालू केला",
        ),
        Action::AlertDisabled => (
            "Alert \"{name}\" switched off",
            "चेतावनी \"{name}\" बंद की गई",
            "इशारा \"{name}\" बंद केला",
        ),
        Action::IncidentTaken => (
            "Took charge of alert \"{name}\"",
            "चेतावनी \"{name}\" की ज़िम्मेदारी ली",
            "इशारा \"{name}\" ची जबाबदारी घेतली",
        ),
        Action::IncidentAcknowledged => (
            "Alert \"{name}\" acknowledged",
            "चेतावनी \"{name}\" देख ली",
            "इशारा \"{name}\" पाहिला",
        ),
        Action::IncidentSnoozed => (
            "Alert \"{name}\" snoozed for {minutes} min",
            "चेतावनी \"{name}\": {minutes} मिनट तक सूचना नहीं",
            "इशारा \"{name}\": {minutes} मिनिटे सूचना नाही",
        ),
        Action::IncidentFalse => (
            "Alert \"{name}\" marked as a false alarm",
            "चेतावनी \"{name}\" को झूठी बताया",
            "इशारा \"{name}\" खोटा असल्याचे सांगितले",
        ),
        Action::IncidentReopened => (
            "Answer to alert \"{name}\" taken back",
            "चेतावनी \"{name}\" पर दिया जवाब वापस लिया",
            "इशारा \"{name}\" वरील उत्तर मागे घेतले",
        ),
        Action::EscalationChanged => (
            "Changed who is told of alerts",
            "चेतावनी किसे बताई जाए, यह बदला",
            "इशारे कोणाला कळवायचे ते बदलले",
        ),
        Action::SignIn => ("Signed in", "लॉगिन किया", "लॉगिन केले"),
        Action::SignInFailed => ("A sign-in failed", "लॉगिन नहीं हो सका", "लॉगिन होऊ शकले नाही"),
        Action::SignOut => ("Signed out", "लॉगआउट किया", "लॉगआउट केले"),
        Action::SessionEnded => (
            "Signed out another device",
            "दूसरे फ़ोन या कंप्यूटर से लॉगआउट किया",
            "दुसऱ्या फोन किंवा संगणकावरून लॉगआउट केले",
        ),
        Action::SessionsEnded => (
            "Signed out everywhere",
            "सब जगह से लॉगआउट किया",
            "सगळीकडून लॉगआउट केले",
        ),
        Action::Registered => (
            "Created the account and the farm",
            "खाता और फ़ार्म बनाया",
            "खाते आणि शेत तयार केले",
        ),
        Action::PasswordSet => ("Set a new password", "नया पासवर्ड रखा", "नवीन पासवर्ड ठेवला"),
        Action::ProfileChanged => (
            "Changed their profile",
            "अपनी जानकारी बदली",
            "स्वतःची माहिती बदलली",
        ),
        Action::FarmMoved => (
            "Said where the farm is",
            "फ़ार्म की जगह बताई",
            "शेताचे ठिकाण नोंदवले",
        ),
        Action::FarmGiven => (
            "Farm moved to another server",
            "फ़ार्म दूसरे सर्वर पर ले जाया गया",
            "शेत दुसऱ्या सर्व्हरवर हलवले",
        ),
        Action::TokenMade => (
            "Token \"{name}\" made for a program",
            "प्रोग्राम के लिए टोकन \"{name}\" बनाया गया",
            "प्रोग्रामसाठी टोकन \"{name}\" तयार केले",
        ),
        Action::TokenRevoked => (
            "Token \"{name}\" ended",
            "टोकन \"{name}\" बंद किया गया",
            "टोकन \"{name}\" बंद केले",
        ),
        Action::IntegrationMade => (
            "MQTT reading account made: {name}",
            "पढ़ने वाला MQTT खाता बनाया गया: {name}",
            "वाचण्यासाठी MQTT खाते तयार केले: {name}",
        ),
        Action::IntegrationRenamed => (
            "MQTT reading account renamed: {name}",
            "पढ़ने वाले MQTT खाते का नाम बदला गया: {name}",
            "वाचण्याच्या MQTT खात्याचे नाव बदलले: {name}",
        ),
        Action::IntegrationDisabled => (
            "MQTT reading account blocked: {name}",
            "पढ़ने वाले MQTT खाते को ब्लॉक किया गया: {name}",
            "वाचण्याचे MQTT खाते ब्लॉक केले: {name}",
        ),
        Action::IntegrationEnabled => (
            "MQTT reading account unblocked: {name}",
            "पढ़ने वाले MQTT खाते को अनब्लॉक किया गया: {name}",
            "वाचण्याचे MQTT खाते अनब्लॉक केले: {name}",
        ),
        Action::IntegrationSecretRenewed => (
            "New password for the MQTT reading account: {name}",
            "पढ़ने वाले MQTT खाते का नया पासवर्ड: {name}",
            "वाचण्याच्या MQTT खात्यासाठी नवीन पासवर्ड: {name}",
        ),
        Action::IntegrationRemoved => (
            "MQTT reading account removed: {name}",
            "पढ़ने वाला MQTT खाता हटाया गया: {name}",
            "वाचण्याचे MQTT खाते हटवले: {name}",
        ),
        Action::UserAdded => ("{name} added", "{name} को जोड़ा गया", "{name} यांना जोडले"),
        Action::UserChanged => (
            "Details of {name} changed",
            "{name} की जानकारी बदली गई",
            "{name} यांची माहिती बदलली",
        ),
        Action::RoleChanged => (
            "Role of {name} changed to {role}",
            "{name} की नई भूमिका: {role}",
            "{name} यांची नवीन भूमिका: {role}",
        ),
        Action::UserActivated => (
            "{name} made active",
            "{name} को सक्रिय किया गया",
            "{name} यांना सक्रिय केले",
        ),
        Action::UserDeactivated => (
            "{name} made inactive",
            "{name} को निष्क्रिय किया गया",
            "{name} यांना निष्क्रिय केले",
        ),
        Action::UserSignedOut => (
            "{name} signed out everywhere",
            "{name} को सब जगह से लॉगआउट किया गया",
            "{name} यांना सगळीकडून लॉगआउट केले",
        ),
        Action::ContactVerified => (
            "Verified a contact",
            "अपने संपर्क की पुष्टि की",
            "स्वतःच्या संपर्काची खात्री केली",
        ),
        Action::DeliveryTested => ("Sent a test message", "परीक्षण संदेश भेजा", "चाचणी संदेश पाठवला"),
        Action::UserRemoved => ("{name} removed", "{name} को हटाया गया", "{name} यांना हटवले"),
        Action::InviteMade => (
            "Invite created for the role {role}",
            "न्योता बनाया गया, भूमिका: {role}",
            "आमंत्रण तयार केले, भूमिका: {role}",
        ),
        Action::InviteRevoked => ("Invite withdrawn", "न्योता वापस लिया गया", "आमंत्रण मागे घेतले"),
        Action::InviteAccepted => (
            "Accepted the invite as {role}",
            "{role} के रूप में न्योता स्वीकार किया",
            "{role} म्हणून आमंत्रण स्वीकारले",
        ),
        Action::AssetRegistered => (
            "Controller {subject} registered: {name}",
            "कंट्रोलर {subject} दर्ज किया गया: {name}",
            "कंट्रोलर {subject} नोंदवला: {name}",
        ),
        Action::ControllerSecretRenewed => (
            "New password for controller {subject}: {name}",
            "कंट्रोलर {subject} का नया पासवर्ड: {name}",
            "कंट्रोलर {subject} साठी नवीन पासवर्ड: {name}",
        ),
        Action::ControllerDisabled => (
            "Controller {subject} blocked: {name}",
            "कंट्रोलर {subject} को ब्लॉक किया गया: {name}",
            "कंट्रोलर {subject} ला ब्लॉक केले: {name}",
        ),
        Action::ControllerEnabled => (
            "Controller {subject} unblocked: {name}",
            "कंट्रोलर {subject} को अनब्लॉक किया गया: {name}",
            "कंट्रोलर {subject} ला अनब्लॉक केले: {name}",
        ),
        Action::ControllerRenamed => (
            "Controller {subject} renamed: {name}",
            "कंट्रोलर {subject} का नाम बदला गया: {name}",
            "कंट्रोलर {subject} चे नाव बदलले: {name}",
        ),
        Action::ControllerRemoved => (
            "Controller {subject} removed: {name}",
            "कंट्रोलर {subject} हटाया गया: {name}",
            "कंट्रोलर {subject} हटवला: {name}",
        ),
        Action::ControllerReleased => (
            "Controller {subject} released by the server operator: {name}",
            "सर्वर चलाने वाले ने कंट्रोलर {subject} को मुक्त किया: {name}",
            "सर्व्हर चालवणाऱ्याने कंट्रोलर {subject} मोकळा केला: {name}",
        ),
        Action::SensorRemoved => (
            "Sensor \"{name}\" removed",
            "सेंसर \"{name}\" हटाया गया",
            "सेन्सर \"{name}\" हटवला",
        ),
        Action::DeviceRemoved => (
            "Device \"{name}\" removed",
            "उपकरण \"{name}\" हटाया गया",
            "उपकरण \"{name}\" हटवले",
        ),
        Action::TaskMoved => (
            "Task \"{name}\" moved",
            "काम \"{name}\" खिसकाया गया",
            "काम \"{name}\" हलवले",
        ),
        Action::DeviceChanged => (
            "Name or place of device \"{name}\" changed",
            "उपकरण \"{name}\" का नाम या जगह बदली गई",
            "उपकरण \"{name}\" चे नाव किंवा ठिकाण बदलले",
        ),
        Action::DeviceLimited => (
            "Limits of device \"{name}\" changed",
            "उपकरण \"{name}\" की सीमाएँ बदली गईं",
            "उपकरण \"{name}\" च्या मर्यादा बदलल्या",
        ),
        Action::EffectSet => (
            "How the runs of device \"{name}\" are checked was changed",
            "उपकरण \"{name}\" के असर की जाँच बदली गई",
            "उपकरण \"{name}\" च्या परिणामाची तपासणी बदलली",
        ),
        Action::SensorChanged => (
            "Name or place of sensor \"{name}\" changed",
            "सेंसर \"{name}\" का नाम या जगह बदली गई",
            "सेन्सर \"{name}\" चे नाव किंवा ठिकाण बदलले",
        ),
    };
    Some(Phrase(en.into(), hi.into(), mr.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_follow_the_gender_of_what_they_speak_of() {
        let told = |resource, verb, language| of(resource, verb).say(language).to_owned();
        let cases = [
            (
                Resource::Reservoir,
                Verb::Created,
                Language::En,
                "Reservoir \"{name}\" created",
            ),
            (
                Resource::Reservoir,
                Verb::Created,
                Language::Hi,
                "टंकी \"{name}\" बनाई गई",
            ),
            (
                Resource::Reservoir,
                Verb::Deleted,
                Language::Mr,
                "टाकी \"{name}\" हटवली",
            ),
            (
                Resource::Task,
                Verb::Changed,
                Language::Hi,
                "काम \"{name}\" बदला गया",
            ),
            (
                Resource::Task,
                Verb::Changed,
                Language::Mr,
                "काम \"{name}\" बदलले",
            ),
            (
                Resource::CropCycle,
                Verb::Created,
                Language::Hi,
                "फ़सल \"{name}\" दर्ज की गई",
            ),
            (
                Resource::CropCycle,
                Verb::Created,
                Language::Mr,
                "पीक \"{name}\" नोंदवले",
            ),
            (
                Resource::Sale,
                Verb::Created,
                Language::En,
                "Sale \"{name}\" added",
            ),
        ];
        for (resource, verb, language, expected) in cases {
            assert_eq!(told(resource, verb, language), expected);
        }
    }
}
