//! The store in words: what runs low.

use super::{Texts, pick};
use crate::language::Language::{self, En, Hi, Mr};
use crate::notifications::notice::Stocked;

pub(super) fn low(language: Language, item: &Stocked) -> (String, String) {
    let (name, left) = (&item.name, language.digits(&item.left));
    let left = format!("{left} {}", unit(language, &item.unit));
    match language {
        En => (
            format!("Stock is low: {name}"),
            format!("Only {left} left. Time to order more."),
        ),
        Hi => (
            format!("स्टॉक कम है: {name}"),
            format!("सिर्फ़ {left} बचा है। और मँगा लें।"),
        ),
        Mr => (
            format!("साठा कमी आहे: {name}"),
            format!("फक्त {left} शिल्लक आहे. आणखी मागवा."),
        ),
    }
}

/// The unit of a word; one that is not known here stays as it is.
fn unit(language: Language, word: &str) -> &str {
    let texts: Texts = match word {
        "KG" => ["kg", "किलो", "किलो"],
        "G" => ["g", "ग्राम", "ग्रॅम"],
        "L" => ["L", "लीटर", "लिटर"],
        "ML" => ["ml", "मि.ली.", "मि.ली."],
        "PIECE" => ["pieces", "नग", "नग"],
        "PACKET" => ["packets", "पैकेट", "पॅकेट"],
        "BAG" => ["bags", "बोरी", "पोती"],
        "BOX" => ["boxes", "बॉक्स", "बॉक्स"],
        "BUNCH" => ["bunches", "गुच्छे", "जुड्या"],
        "M" => ["m", "मीटर", "मीटर"],
        _ => return word,
    };
    pick(language, texts)
}
