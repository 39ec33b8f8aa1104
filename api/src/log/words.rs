//! The log's phrases in each language. A phrase has its places in braces: `{rule}`, `{device}`, `{orders}`, `{why}`, `{name}`.

use std::borrow::Cow;

use crate::language::Language;

/// A phrase in English, Hindi and Marathi.
pub(super) struct Phrase(
    pub(super) Cow<'static, str>,
    pub(super) Cow<'static, str>,
    pub(super) Cow<'static, str>,
);

impl Phrase {
    pub(super) fn say(&self, language: Language) -> &str {
        match language {
            Language::En => &self.0,
            Language::Hi => &self.1,
            Language::Mr => &self.2,
        }
    }
}

macro_rules! phrases {
    ($($(#[$doc:meta])* $name:ident = $en:literal, $hi:literal, $mr:literal;)+) => {
        $($(#[$doc])* pub(super) const $name: Phrase = Phrase(Cow::Borrowed($en), Cow::Borrowed($hi), Cow::Borrowed($mr));)+
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
    START_SKIPPED = "Rule \"{rule}\" did not start by its timetable: {why}", "नियम \"{rule}\" समय-सारणी से शुरू नहीं हुआ: {why}", "नियम \"{rule}\" वेळापत्रकानुसार सुरू झाला नाही: {why}";
    STARTS_SKIPPED = "Rule \"{rule}\" missed {count} starts of its timetable: {why}", "नियम \"{rule}\" समय-सारणी से {count} बार शुरू नहीं हुआ: {why}", "नियम \"{rule}\" वेळापत्रकानुसार {count} वेळा सुरू झाला नाही: {why}";
    RULE_COMMAND = "Rule \"{rule}\": {orders}", "नियम \"{rule}\": {orders}", "नियम \"{rule}\": {orders}";
    ACTION_MISSED = "Rule \"{rule}\": the delayed action on {device} was skipped: the server was down when it was due",
        "नियम \"{rule}\": {device} का काम, जो कुछ देर बाद होना था, सर्वर बंद रहने के कारण छूट गया",
        "नियम \"{rule}\": {device} चे काही वेळाने करायचे काम सर्व्हर बंद असल्याने राहून गेले";
    PULSE_SUPPRESSED = "Rule \"{rule}\": {device} was not run: {why}", "नियम \"{rule}\": {device} को नहीं चलाया गया: {why}", "नियम \"{rule}\": {device} चालवले नाही: {why}";
    HELD_ON = "{device} stays on for now: {why}", "{device} अभी चालू रहेगा: {why}", "{device} सध्या चालू राहील: {why}";
    HELD_OFF = "{device} does not start yet: {why}", "{device} अभी शुरू नहीं होगा: {why}", "{device} अजून सुरू होणार नाही: {why}";
    LIMIT_REACHED = "{device} switched off: {why}", "{device} को बंद किया गया: {why}", "{device} बंद केले: {why}";
    REST_COMMAND = "No rule needs it: {orders}", "किसी नियम को ज़रूरत नहीं: {orders}", "कोणत्याही नियमाला गरज नाही: {orders}";
    LOCKED = "{device} locked: {why}", "{device} पर ताला लगा: {why}", "{device} ला कुलूप लागले: {why}";
    UNLOCKED = "{device} unlocked", "{device} का ताला खुला", "{device} चे कुलूप उघडले";
    UNLOCK_REFUSED = "{device} could not be unlocked", "{device} का ताला नहीं खुल सका", "{device} चे कुलूप उघडता आले नाही";
    STOPPED = "STOP: {place} told to switch off, and locked", "रोकें: {place} को बंद करने का आदेश, और ताला लगा", "थांबवा: {place} बंद करण्याचा आदेश, आणि कुलूप लागले";
    SAFETY_ON = "{device} went into safety mode", "{device} का सुरक्षा मोड लगा", "{device} चा सुरक्षा मोड सुरू झाला";
    SAFETY_OFF = "{device} left safety mode", "{device} का सुरक्षा मोड हटा", "{device} चा सुरक्षा मोड संपला";
    SAFE_COMMAND = "Put in its safe setting: {orders}", "सुरक्षित स्थिति में लाया गया: {orders}", "सुरक्षित स्थितीत आणले: {orders}";
    CORRECTED = "The device did not follow its command, so it was sent again: {orders}", "उपकरण ने आदेश नहीं माना, इसलिए फिर भेजा गया: {orders}", "उपकरणाने आदेश पाळला नाही, म्हणून पुन्हा पाठवला: {orders}";
    DEVICE_OFFLINE = "{device} cannot be reached", "{device} से संपर्क नहीं है", "{device} शी संपर्क नाही";
    DEVICE_ONLINE = "{device} can be reached again", "{device} से फिर संपर्क हुआ", "{device} शी पुन्हा संपर्क झाला";
    RESUMED = "The server was off for {time} and works again", "सर्वर {time} तक बंद रहा, अब फिर चल रहा है", "सर्व्हर {time} बंद होता, आता पुन्हा चालू आहे";
    CONTROLLER_OFFLINE = "Controller {device} cannot be reached", "कंट्रोलर {device} से संपर्क नहीं है", "कंट्रोलर {device} शी संपर्क नाही";
    CONTROLLER_ONLINE = "Controller {device} is connected", "कंट्रोलर {device} से संपर्क हुआ", "कंट्रोलर {device} शी संपर्क झाला";
    ALERT_RAISED = "Alert \"{name}\" raised", "चेतावनी \"{name}\" जारी हुई", "इशारा \"{name}\" जारी झाला";
    ALERT_DELETED = "Alert \"{name}\" was deleted while it was raised", "चेतावनी \"{name}\" जारी रहते हुए हटाई गई", "इशारा \"{name}\" जारी असताना हटवला गेला";
    ALERT_DISABLED = "Alert \"{name}\" was switched off while it was raised", "चेतावनी \"{name}\" जारी रहते हुए बंद की गई", "इशारा \"{name}\" जारी असताना बंद केला गेला";
    ALERT_CHANGED = "Alert \"{name}\" was changed while it was raised, and starts over", "चेतावनी \"{name}\" जारी रहते हुए बदली गई और नए सिरे से देखी जा रही है", "इशारा \"{name}\" जारी असताना बदलला गेला, आणि नव्याने तपासला जात आहे";
    ALERT_SENSORS_CHANGED = "Alert \"{name}\" starts over: its sensors changed while it was raised", "चेतावनी \"{name}\" नए सिरे से देखी जा रही है: जारी रहते हुए इसके सेंसर बदले", "इशारा \"{name}\" नव्याने तपासला जात आहे: जारी असताना त्याचे सेन्सर बदलले";
    ALERT_RESOLVED = "Alert \"{name}\" resolved", "चेतावनी \"{name}\" ख़त्म हुई", "इशारा \"{name}\" संपला";
    SENSOR_STALE = "No new reading from sensor {name}", "सेंसर {name} से नई रीडिंग नहीं आई", "सेन्सर {name} कडून नवीन रीडिंग आले नाही";
    SENSORS_STALE = "No new readings from {count} sensors, {name} among them", "{name} समेत {count} सेंसरों से नई रीडिंग नहीं आई", "{name} सह {count} सेन्सरकडून नवीन रीडिंग आले नाही";

    LEFT_OUT_ONE = " (an earlier entry like this is not listed)", " (इससे पहले की ऐसी एक घटना नहीं लिखी गई)",
        " (यापूर्वीची अशी एक घटना लिहिली नाही)";
    LEFT_OUT = " ({leftOut} earlier entries like this are not listed)", " (इससे पहले की ऐसी {leftOut} घटनाएँ नहीं लिखी गईं)",
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

    WHY_STOP_BEFORE = "its stop condition is already true", "उसे रोकने की शर्त पहले से पूरी है", "तो थांबवण्याची अट आधीच पूर्ण आहे";
    WHY_STOP = "its stop condition was true for the full time", "रोकने की शर्त पूरी हुई", "थांबवण्याची अट पूर्ण झाली";
    WHY_CLEARED = "its trigger is no longer true", "शुरू करने वाली शर्त अब नहीं रही", "सुरू करणारी अट आता राहिली नाही";
    WHY_SIGNAL = "its sensors send no recent readings", "उसके सेंसर ताज़ा रीडिंग नहीं दे रहे", "त्याचे सेन्सर ताजे रीडिंग देत नाहीत";
    WHY_RUN_ENDED = "it ran for its full time", "वह अपना पूरा समय चल चुका", "तो त्याचा पूर्ण वेळ चालला";
    WHY_RUNNING = "it was still running", "वह तब भी चल रहा था", "तो तेव्हाही काम करत होता";
    WHY_GUARD = "the condition for starting was not true", "शुरू होने की शर्त पूरी नहीं थी", "सुरू होण्याची अट पूर्ण नव्हती";
    WHY_UNKNOWN = "nobody knew whether the condition for starting was true", "शुरू होने की शर्त पूरी थी या नहीं, यह पता नहीं था", "सुरू होण्याची अट पूर्ण होती की नाही, हे माहीत नव्हते";
    WHY_MISSED = "the server was down", "सर्वर बंद था", "सर्व्हर बंद होता";
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
    WHY_MIN_ON = "it stays on for its least time", "कम से कम तय समय तक चालू रहना है", "किमान ठरलेला वेळ चालू राहायचे आहे";
    WHY_NEEDED = "what it carries must go off first", "पहले वह बंद होगा जो इसके सहारे चल रहा है", "याच्यावर चालणारे आधी बंद होईल";
    WHY_MIN_OFF = "it stays off for its least time", "कम से कम तय समय तक बंद रहना है", "किमान ठरलेला वेळ बंद राहायचे आहे";
    WHY_STARTS = "it has started as often in this hour as it may", "एक घंटे में जितनी बार शुरू हो सकता है, हो चुका है", "तासाभरात जितक्या वेळा सुरू होऊ शकते तितक्या वेळा झाले आहे";
    WHY_GROUP = "as many of its group run as may at a time", "उसके समूह में एक साथ जितने चल सकते हैं, चल रहे हैं", "त्याच्या गटात एका वेळी जितकी चालू शकतात तितकी चालू आहेत";
    WHY_NEEDS = "none of the devices that it needs is known to be on", "जिन उपकरणों की इसे ज़रूरत है, उनमें से कोई चालू नहीं मिला", "त्याला लागणाऱ्या उपकरणांपैकी एकही चालू असल्याचे कळले नाही";
    WHY_BUDGET = "its amount for the day is used up", "आज की तय मात्रा पूरी हो गई", "आजचे ठरलेले प्रमाण संपले";
    WHY_HOURS = "it is outside of the hours in which it may run", "यह उसके चलने का समय नहीं है", "ही त्याच्या चालण्याची वेळ नाही";
    WHY_PULSES = "it has used up its pulse time for this hour", "इस घंटे में चलाने की तय सीमा पूरी हो चुकी है", "या तासात चालवण्याची ठरलेली मर्यादा संपली आहे";

    /// For what a later version wrote.
    UNKNOWN = "Another entry: {action}", "अन्य एंट्री: {action}", "इतर नोंद: {action}";
}
