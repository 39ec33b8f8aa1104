//! What the page of a message's link says, in each language, and the words by which a reply answers.

use crate::incidents::AnswerKind;
use crate::language::Language::{self, En, Hi, Mr};

/// What a person asks from a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    Answer(AnswerKind),
    /// To switch the device of that name off. There is no word that switches anything on.
    Off(String),
}

/// For how long a reply snoozes, in minutes.
pub(super) const SNOOZE_MIN: i64 = 60;

/// The words of a reply, as they come from a keypad: in any language, whoever writes.
const WORDS: [(AnswerKind, &[&str]); 4] = [
    (
        AnswerKind::OnIt,
        &[
            "1",
            "on it",
            "onit",
            "going",
            "ज़िम्मेदारी मेरी",
            "जबाबदारी माझी",
            "मैं देख रहा हूँ",
            "देखता हूँ",
            "देख रहा हूँ",
            "जा रहा हूँ",
            "मी बघतो",
            "मी पाहतो",
            "बघतो",
        ],
    ),
    (
        AnswerKind::Acknowledge,
        &[
            "2",
            "ok",
            "seen",
            "ack",
            "acknowledge",
            "देख लिया",
            "ठीक है",
            "पाहिले",
            "बघितले",
            "ठीक आहे",
        ],
    ),
    (
        AnswerKind::Snooze,
        &["3", "later", "snooze", "बाद में", "नंतर"],
    ),
    (
        AnswerKind::FalseAlarm,
        &[
            "4",
            "false",
            "false alarm",
            "झूठी चेतावनी",
            "ग़लत",
            "गलत",
            "खोटा इशारा",
            "चुकीचे",
        ],
    ),
];
const OFF: [&str; 3] = ["off ", "बंद ", "0 "];

/// What a reply asks; none where it is no word of ours.
pub(super) fn read(text: &str) -> Option<Asked> {
    let text = text.trim().trim_end_matches(['.', '!', '।']).to_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // a phone may write its numbers in Devanagari
    let plain = |c: char| match u32::from(c).checked_sub(0x0966) {
        Some(n) if n < 10 => char::from_digit(n, 10).unwrap_or(c),
        _ => c,
    };
    let text: String = text.chars().map(plain).collect();
    // what a button or the page says
    for (kind, _) in WORDS {
        let says = |language| label(language, kind).to_lowercase() == text;
        if [En, Hi, Mr].into_iter().any(says) {
            return Some(Asked::Answer(kind));
        }
    }
    for (kind, words) in WORDS {
        if words.contains(&text.as_str()) {
            return Some(Asked::Answer(kind));
        }
    }
    let device = OFF.iter().find_map(|word| text.strip_prefix(word))?;
    Some(Asked::Off(device.to_owned()))
}

/// The label of what somebody answers.
pub(super) const fn label(language: Language, kind: AnswerKind) -> &'static str {
    match (language, kind) {
        (En, AnswerKind::OnIt) => "I am on it",
        (Hi, AnswerKind::OnIt) => "ज़िम्मेदारी मेरी",
        (Mr, AnswerKind::OnIt) => "जबाबदारी माझी",
        (En, AnswerKind::Acknowledge) => "Seen",
        (Hi, AnswerKind::Acknowledge) => "देख लिया",
        (Mr, AnswerKind::Acknowledge) => "पाहिले",
        (En, AnswerKind::Snooze) => "Tell me again in 1 h",
        (Hi, AnswerKind::Snooze) => "1 घंटे बाद फिर बताएँ",
        (Mr, AnswerKind::Snooze) => "एका तासाने पुन्हा सांगा",
        (En, AnswerKind::FalseAlarm) => "False alarm",
        (Hi, AnswerKind::FalseAlarm) => "झूठी चेतावनी",
        (Mr, AnswerKind::FalseAlarm) => "खोटा इशारा",
        (En, AnswerKind::Reopen) => "Take back",
        (Hi, AnswerKind::Reopen) => "वापस लें",
        (Mr, AnswerKind::Reopen) => "मागे घ्या",
    }
}

/// What a page or a reply says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Said {
    Since,
    Open,
    Over,
    Answered,
    SwitchOff,
    InHarit,
    Off,
    Waits,
    Refused,
    NoSuchDevice,
    Meanwhile,
    NotYours,
    BadLink,
    Expired,
    WhichWords,
}

impl Said {
    #[cfg(test)]
    const ALL: [Self; 15] = [
        Self::Since,
        Self::Open,
        Self::Over,
        Self::Answered,
        Self::SwitchOff,
        Self::InHarit,
        Self::Off,
        Self::Waits,
        Self::Refused,
        Self::NoSuchDevice,
        Self::Meanwhile,
        Self::NotYours,
        Self::BadLink,
        Self::Expired,
        Self::WhichWords,
    ];

    pub(super) const fn say(self, language: Language) -> &'static str {
        let texts = match self {
            Self::Since => ["Since", "कब से", "केव्हापासून"],
            Self::Open => [
                "Nobody has answered yet",
                "अभी किसी ने जवाब नहीं दिया",
                "अजून कोणीही उत्तर दिले नाही",
            ],
            Self::Over => [
                "This alert is over",
                "यह चेतावनी ख़त्म हो चुकी है",
                "हा इशारा संपला आहे",
            ],
            Self::Answered => ["Answered", "जवाब दिया गया", "उत्तर दिले"],
            Self::SwitchOff => [
                "Switch off for 1 h",
                "1 घंटे के लिए बंद करें",
                "१ तासासाठी बंद करा",
            ],
            Self::InHarit => ["Open in Harit", "हरित में खोलें", "हरितमध्ये उघडा"],
            Self::Off => ["Switched off", "बंद किया गया", "बंद केले"],
            Self::Waits => [
                "Asked to switch off; the device has not confirmed it yet",
                "बंद करने को कहा गया; उपकरण ने अभी पुष्टि नहीं की",
                "बंद करण्यास सांगितले; उपकरणाने अजून खात्री दिलेली नाही",
            ],
            Self::Refused => [
                "It could not be switched off",
                "बंद नहीं हो सका",
                "बंद होऊ शकले नाही",
            ],
            Self::NoSuchDevice => [
                "No device of that name can be switched off there",
                "वहाँ इस नाम का कोई उपकरण बंद नहीं किया जा सकता",
                "तिथे या नावाचे कोणतेही उपकरण बंद करता येत नाही",
            ],
            Self::Meanwhile => [
                "Somebody answered meanwhile. This is how it stands now.",
                "इस बीच किसी ने जवाब दे दिया। अब स्थिति यह है।",
                "दरम्यान कोणीतरी उत्तर दिले. आता स्थिती अशी आहे.",
            ],
            Self::NotYours => [
                "Your role may not answer so",
                "आपकी भूमिका यह जवाब नहीं दे सकती",
                "तुमची भूमिका असे उत्तर देऊ शकत नाही",
            ],
            Self::BadLink => [
                "This link is not valid. Open Harit to see the alert.",
                "यह लिंक सही नहीं है। चेतावनी देखने के लिए हरित खोलें।",
                "ही लिंक बरोबर नाही. इशारा पाहण्यासाठी हरित उघडा.",
            ],
            Self::Expired => [
                "This link has expired. Open Harit to see the alert.",
                "इस लिंक का समय पूरा हो गया है। चेतावनी देखने के लिए हरित खोलें।",
                "या लिंकची वेळ संपली आहे. इशारा पाहण्यासाठी हरित उघडा.",
            ],
            Self::WhichWords => [
                "Reply 1: I am on it, 2: seen, 3: later, 4: false alarm",
                "जवाब दें 1: ज़िम्मेदारी मेरी, 2: देख लिया, 3: बाद में, 4: झूठी चेतावनी",
                "उत्तर द्या १: जबाबदारी माझी, २: पाहिले, ३: नंतर, ४: खोटा इशारा",
            ],
        };
        match language {
            En => texts[0],
            Hi => texts[1],
            Mr => texts[2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_in_any_language_and_nothing_is_switched_on() {
        let cases = [
            ("1", Some(Asked::Answer(AnswerKind::OnIt))),
            (" On  it! ", Some(Asked::Answer(AnswerKind::OnIt))),
            ("१", Some(Asked::Answer(AnswerKind::OnIt))),
            ("मी बघतो", Some(Asked::Answer(AnswerKind::OnIt))),
            ("OK", Some(Asked::Answer(AnswerKind::Acknowledge))),
            ("देख लिया।", Some(Asked::Answer(AnswerKind::Acknowledge))),
            ("नंतर", Some(Asked::Answer(AnswerKind::Snooze))),
            ("False alarm", Some(Asked::Answer(AnswerKind::FalseAlarm))),
            ("OFF Drip valve", Some(Asked::Off("drip valve".into()))),
            ("on pump", None),
            ("चालू pump", None),
            ("", None),
            ("who is this", None),
        ];
        for (text, asked) in cases {
            assert_eq!(read(text), asked, "{text}");
        }
        // what a button says is understood when it comes back
        for language in [En, Hi, Mr] {
            for (kind, _) in WORDS {
                assert_eq!(read(label(language, kind)), Some(Asked::Answer(kind)));
            }
        }
    }

    #[test]
    fn everything_is_said_in_three_languages() {
        for said in Said::ALL {
            let texts = [En, Hi, Mr].map(|l| said.say(l));
            assert!(texts[0].is_ascii(), "{said:?}");
            assert!(!texts[1].is_ascii() && !texts[2].is_ascii(), "{said:?}");
        }
    }
}
