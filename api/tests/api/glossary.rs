//! The server's texts keep to `docs/glossary.tsv`: none has a word that is not to be used in its language. The texts are read
//! where they are written: three literals in a row are English, Hindi and Marathi, any other belongs to the arm in which it is.

use std::path::{Path, PathBuf};

/// The place of a language among three literals in a row, and of its columns in the glossary.
const LANGUAGES: [&str; 3] = ["En", "Hi", "Mr"];
const FIRST_FORBIDDEN: usize = 4;
const COLUMNS: usize = 8;

/// A text as it is written, and in which language.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    language: usize,
    text: String,
}

fn is_devanagari(c: char) -> bool {
    ('\u{900}'..='\u{97f}').contains(&c) && !matches!(c, '।' | '॥')
}

/// Whether a character is part of a word; signs of Devanagari are.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_devanagari(c)
}

/// Whether a text has a word: from where a word begins. In Hindi and Marathi what follows may be an ending, unless the word is
/// written with `$`; in English it stands whole.
fn says(text: &str, word: &str, language: usize) -> bool {
    let whole = language == 0 || word.ends_with('$');
    let (text, word) = (
        text.to_lowercase(),
        word.trim_end_matches('$').to_lowercase(),
    );
    text.match_indices(&word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let inside = before.chars().next_back().is_some_and(is_letter);
        let goes_on = whole && after.chars().next().is_some_and(is_letter);
        !inside && !goes_on
    })
}

/// The string literals of a source file, each with the code before it.
fn literals(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut code, mut chars) = (String::new(), source.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            // a quotation mark as a character
            '\'' if chars.next_if_eq(&'"').is_some() => {}
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    text.extend(if c == '\\' { chars.next() } else { Some(c) });
                }
                found.push((std::mem::take(&mut code), text));
            }
            _ => code.push(c),
        }
    }
    found
}

/// What a source file says, outside its tests.
fn texts(source: &str) -> Vec<Said> {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or("");
    let all = literals(source);
    let next = |at: usize| {
        let (code, text) = all.get(at)?;
        (code.trim() == ",").then_some(text)
    };
    let (mut said, mut arm, mut at) = (Vec::new(), 0, 0);
    while let Some((code, text)) = all.get(at) {
        let word = |c: char| !c.is_alphanumeric() && c != '_';
        if let Some(language) = code
            .rsplit(word)
            .find_map(|w| LANGUAGES.iter().position(|l| *l == w))
        {
            arm = language;
        }
        let three = !text.contains(is_devanagari);
        if let (true, Some(hi), Some(mr)) = (three, next(at + 1), next(at + 2))
            && [hi, mr].iter().any(|t| t.contains(is_devanagari))
        {
            let row = [text, hi, mr].into_iter().cloned().enumerate();
            said.extend(row.map(|(language, text)| Said { language, text }));
            at += 3;
        } else {
            said.push(Said {
                language: arm,
                text: text.clone(),
            });
            at += 1;
        }
    }
    said
}

/// The words that are not to be used, in a language.
fn forbidden(glossary: &str, language: usize) -> Vec<&str> {
    let rows = glossary.lines().skip(1).map(|line| {
        let row: Vec<&str> = line.split('\t').collect();
        assert_eq!(row.len(), COLUMNS, "{line}");
        row[FIRST_FORBIDDEN + language]
    });
    rows.flat_map(|words| words.split(';').filter(|w| !w.is_empty()))
        .collect()
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.file_name().is_some_and(|name| name != "tests.rs") {
            found.push(path);
        }
    }
}

/// The texts of the demo's farms, in the order of the languages.
fn demo_texts() -> Vec<Said> {
    let texts = include_str!("../../../simulate/src/demo/texts.tsv");
    let said = texts.lines().skip(1).flat_map(|line| {
        line.split('\t').enumerate().map(|(language, text)| Said {
            language,
            text: text.to_owned(),
        })
    });
    said.collect()
}

#[test]
fn nor_has_the_demo() {
    let glossary = include_str!("../../../docs/glossary.tsv");
    let mut wrong = Vec::new();
    for Said { language, text } in demo_texts() {
        let forbidden = forbidden(glossary, language).into_iter();
        let of = forbidden.filter(|word| says(&text, word, language));
        wrong.extend(of.map(|word| format!("{} {text:?}: not {word}", LANGUAGES[language])));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn no_text_has_a_word_that_is_not_to_be_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let glossary =
        std::fs::read_to_string(root.join("../docs/glossary.tsv")).expect("the glossary");
    let words: [Vec<&str>; 3] = std::array::from_fn(|language| forbidden(&glossary, language));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let (mut wrong, mut read) = (Vec::new(), 0);
    for path in files {
        let source = std::fs::read_to_string(&path).expect("a source file");
        // who says nothing in Hindi says nothing to people
        if !source.contains(is_devanagari) {
            continue;
        }
        for Said { language, text } in texts(&source) {
            let code = LANGUAGES[language];
            assert!(
                language != 0 || !text.contains(is_devanagari),
                "{}: whose language is {text:?}?",
                path.display()
            );
            read += usize::from(text.contains(is_devanagari));
            let of = |word: &&&str| says(&text, word, language);
            wrong.extend(
                words[language]
                    .iter()
                    .filter(of)
                    .map(|w| format!("{code} {text:?}: not {w}")),
            );
        }
    }
    assert!(read > 300, "only {read} texts were found");
    assert_eq!(wrong, Vec::<String>::new());
}

/// A text without the places of its values.
fn own_words(text: &str) -> String {
    let (mut own, mut inside) = (String::new(), false);
    for c in text.chars() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            _ if !inside => own.push(c),
            _ => {}
        }
    }
    own
}

#[test]
fn numbers_have_the_digits_of_their_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut all = demo_texts();
    for path in files {
        let source = std::fs::read_to_string(&path).expect("a source file");
        all.extend(texts(&source));
    }
    let is_wrong = |said: &Said| {
        // a belt has its size in the maker's digits
        let own = own_words(&said.text).replace("B-68", "");
        match said.language {
            2 => own.contains(is_devanagari) && own.contains(|c: char| c.is_ascii_digit()),
            _ => own.contains(|c: char| ('०'..='९').contains(&c)),
        }
    };
    let wrong: Vec<_> = { all.into_iter().filter(is_wrong) }
        .map(|said| said.text)
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_planted_word_is_found_in_its_language() {
    let source = r#"
        /// A comment with "खेत".
        Planted { "Out by hand", "खेत में", "शेतात" }
        Hi => format!("{n} खेत", ["एक", "दो"][n]),
        Mr if n == 1 => format!("मोजमापे {n}"),
        #[cfg(test)]
        mod tests { "लॉक" }
    "#;
    let source = source.replace("        ", "");
    let wrong: Vec<(usize, String)> = texts(&source)
        .into_iter()
        .filter(|said| {
            let words = [["by hand", "at rest"], ["खेत", "लॉक"], ["मोजमाप", "वेग$"]];
            words[said.language]
                .iter()
                .any(|w| says(&said.text, w, said.language))
        })
        .map(|said| (said.language, said.text))
        .collect();
    let expected = [
        (0, "Out by hand"),
        (1, "खेत में"),
        (1, "{n} खेत"),
        (2, "मोजमापे {n}"),
    ];
    assert_eq!(
        wrong,
        expected.map(|(language, text)| (language, text.to_owned()))
    );
    assert!(!says("ब्लॉक करें", "लॉक", 1) && !says("वेगळे", "वेग$", 2));
}
