//! The evening letter in words: that it is there, and of which day.

use jiff::civil::Date;

use super::{Texts, pick};
use crate::language::Language::{self, En, Hi, Mr};

const MONTHS: [Texts; 12] = [
    ["January", "जनवरी", "जानेवारी"],
    ["February", "फ़रवरी", "फेब्रुवारी"],
    ["March", "मार्च", "मार्च"],
    ["April", "अप्रैल", "एप्रिल"],
    ["May", "मई", "मे"],
    ["June", "जून", "जून"],
    ["July", "जुलाई", "जुलै"],
    ["August", "अगस्त", "ऑगस्ट"],
    ["September", "सितंबर", "सप्टेंबर"],
    ["October", "अक्टूबर", "ऑक्टोबर"],
    ["November", "नवंबर", "नोव्हेंबर"],
    ["December", "दिसंबर", "डिसेंबर"],
];

pub(super) fn letter(language: Language, day: &str) -> (String, String) {
    let day = named(language, day);
    match language {
        En => (
            format!("The evening letter of {day} is ready"),
            "What the day was like, and what to look at tomorrow.".to_owned(),
        ),
        Hi => (
            format!("{day} की शाम की चिट्ठी तैयार है"),
            "दिन कैसा रहा, और कल किस पर नज़र रखें।".to_owned(),
        ),
        Mr => (
            format!("{day}चे संध्याकाळचे पत्र तयार आहे"),
            "दिवस कसा गेला, आणि उद्या कशाकडे लक्ष द्यायचे.".to_owned(),
        ),
    }
}

/// A day as people say it; what is none stays as it is.
fn named(language: Language, day: &str) -> String {
    let Ok(date) = day.parse::<Date>() else {
        return day.to_owned();
    };
    let month = usize::try_from(date.month() - 1).unwrap_or(0);
    let month = MONTHS.get(month).map_or("", |texts| pick(language, *texts));
    format!("{} {month}", language.digits(&date.day().to_string()))
}
