//! The store in words: what runs low.

use super::{Texts, pick};
use crate::language::Language::{self, En, Hi, Mr};
use crate::notifications::notice::Stocked;

pub(super) fn low(language: Language, item: &Stocked) -> (String, String) {
    let name = &item.name;
    let unit = unit(language, &item.unit, item.left == "1");
    let left = format!("{} {unit}", language.digits(&item.left));
    match language {
        En => (
            format!("Stock is low: {name}"),
            format!("Only {left} left. Time to order more."),
        ),
        Hi => (
            format!("स्टॉक कम है: {name}"),
            format!("अब सिर्फ़ {left} बाकी। और मँगा लें।"),
        ),
        Mr => (
            format!("साठा कमी आहे: {name}"),
            format!("फक्त {left} शिल्लक. आणखी मागवा."),
        ),
    }
}

/// The unit of a word, of one or of several; one that is not known here stays as it is.
fn unit(language: Language, word: &str, one: bool) -> &str {
    let texts: Texts = match word {
        "PIECE" if one => ["piece", "नग", "नग"],
        "PACKET" if one => ["packet", "पैकेट", "पॅकेट"],
        "BAG" if one => ["bag", "बोरी", "पोते"],
        "BOX" if one => ["box", "बॉक्स", "बॉक्स"],
        "BUNCH" if one => ["bunch", "गुच्छा", "जुडी"],
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
