//! The words of a line, and the amounts among them.

use std::fmt;

/// What is wrong with a scenario, and in which line.
#[derive(Debug)]
pub struct Wrong {
    /// In which line, from 1.
    pub line: usize,
    /// What.
    pub what: String,
}

pub(crate) type Read<T> = Result<T, Wrong>;

/// An instant: milliseconds since the beginning of the story, shown as a grower would write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(pub i64);

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, ms) = (self.0 / 1_000, self.0 % 1_000);
        let (days, hours, minutes) = (secs / 86_400, secs / 3_600 % 24, secs / 60 % 60);
        if days > 0 {
            write!(f, "+{days}d ")?;
        }
        if secs >= 3_600 {
            write!(f, "{hours}:")?;
        }
        write!(f, "{minutes:02}:{:02}", secs % 60)?;
        if ms == 0 {
            Ok(())
        } else {
            write!(f, ".{ms:03}")
        }
    }
}

/// A line's words, read from left to right.
pub(crate) struct Line {
    pub(crate) number: usize,
    words: Vec<String>,
    next: usize,
}

impl Line {
    /// Splits a line into words; none are left of a comment or of an empty line.
    ///
    /// `:`, `,` and `;` at the end of a word are words of their own, and so are brackets; what stands in quotes is one word.
    pub(crate) fn new(number: usize, text: &str) -> Option<Self> {
        let mut words = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && !rest.starts_with('#') {
            if let Some(quoted) = rest.strip_prefix('"') {
                let end = quoted.find('"').unwrap_or(quoted.len());
                words.push(quoted[..end].to_owned());
                rest = quoted.get(end + 1..).unwrap_or("").trim_start();
                continue;
            }
            if let Some(bracketed) = rest.strip_prefix('(') {
                words.push("(".to_owned());
                rest = bracketed;
                continue;
            }
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let word = rest[..end].trim_end_matches([':', ',', ';', ')']);
            if !word.is_empty() {
                words.push(word.to_owned());
            }
            words.extend(rest[word.len()..end].chars().map(String::from));
            rest = rest[end..].trim_start();
        }
        (!words.is_empty()).then_some(Self {
            number,
            words,
            next: 0,
        })
    }

    pub(crate) fn wrong<T>(&self, what: impl Into<String>) -> Read<T> {
        Err(Wrong {
            line: self.number,
            what: what.into(),
        })
    }

    pub(crate) fn peek(&self) -> Option<&str> {
        self.words.get(self.next).map(String::as_str)
    }

    pub(crate) fn peek_second(&self) -> Option<&str> {
        self.words.get(self.next + 1).map(String::as_str)
    }

    /// The next word, whatever it is; `what` says what was expected.
    pub(crate) fn word(&mut self, what: &str) -> Read<String> {
        let Some(word) = self.words.get(self.next) else {
            return self.wrong(format!("the line ends where {what} is expected"));
        };
        self.next += 1;
        Ok(word.clone())
    }

    /// Goes past these words, if they come next.
    pub(crate) fn eat(&mut self, phrase: &str) -> bool {
        let mut ix = self.next;
        for word in phrase.split(' ') {
            if self.words.get(ix).is_none_or(|w| w != word) {
                return false;
            }
            ix += 1;
        }
        self.next = ix;
        true
    }

    pub(crate) fn need(&mut self, phrase: &str) -> Read<()> {
        if self.eat(phrase) {
            return Ok(());
        }
        match self.peek() {
            Some(found) => self.wrong(format!("expected {phrase:?}, found {found:?}")),
            None => self.wrong(format!("the line ends where {phrase:?} is expected")),
        }
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Read<()> {
        match self.peek() {
            Some(found) => self.wrong(format!("{found:?} is not expected here")),
            None => Ok(()),
        }
    }

    /// All words up to the next `,` or the end, joined.
    pub(crate) fn until_comma(&mut self) -> String {
        let mut all: Vec<String> = Vec::new();
        while let Some(word) = self.peek() {
            if word == "," {
                break;
            }
            all.push(word.to_owned());
            self.next += 1;
        }
        all.join(" ")
    }

    /// `MM:SS`, `H:MM:SS`, with `.mmm` if need be, perhaps after `+1d`.
    pub(crate) fn instant(&mut self) -> Read<Instant> {
        let mut word = self.word("a time")?;
        let days = word.strip_prefix('+').and_then(parse_duration);
        if days.is_some() {
            word = self.word("a time")?;
        }
        match parse_instant(&word) {
            Some(ms) => Ok(Instant(days.unwrap_or(0) + ms)),
            None => self.wrong(format!("{word:?} is no time: write MM:SS or H:MM:SS")),
        }
    }

    /// `90s`, `5m`, `2h`, `1d`, in milliseconds.
    pub(crate) fn duration(&mut self) -> Read<i64> {
        let word = self.word("a duration")?;
        match parse_duration(&word) {
            Some(ms) => Ok(ms),
            None => self.wrong(format!("{word:?} is no duration: write 90s, 5m, 2h or 1d")),
        }
    }

    pub(crate) fn seconds(&mut self) -> Read<i64> {
        Ok(self.duration()? / 1_000)
    }

    /// A decimal number, in millionths.
    pub(crate) fn micro(&mut self) -> Read<i64> {
        let word = self.word("a number")?;
        match parse_micro(&word) {
            Some(micro) => Ok(micro),
            None => self.wrong(format!("{word:?} is no number")),
        }
    }
}

fn parse_instant(word: &str) -> Option<i64> {
    let (clock, ms) = match word.split_once('.') {
        Some((clock, ms)) if ms.len() == 3 => (clock, ms.parse::<u16>().ok()?),
        Some(_) => return None,
        None => (word, 0),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [m, s] => ("0", m, s),
        [h, m, s] => (h, m, s),
        _ => return None,
    };
    if minutes.len() != 2 || seconds.len() != 2 {
        return None;
    }
    let (h, m, s): (u16, u8, u8) = (
        hours.parse().ok()?,
        minutes.parse().ok()?,
        seconds.parse().ok()?,
    );
    (m < 60 && s < 60)
        .then(|| ((i64::from(h) * 60 + i64::from(m)) * 60 + i64::from(s)) * 1_000 + i64::from(ms))
}

pub(crate) fn parse_duration(word: &str) -> Option<i64> {
    let (number, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let number: i64 = number.parse::<u32>().ok()?.into();
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    Some(number * seconds * 1_000)
}

pub(crate) fn parse_micro(word: &str) -> Option<i64> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || part.len() > 6 || whole.len() > 9 {
        return None;
    }
    let whole: i64 = whole.parse::<u32>().ok()?.into();
    let part: i64 = format!("{part:0<6}").parse::<u32>().ok()?.into();
    let micro = whole * 1_000_000 + part;
    Some(if negative { -micro } else { micro })
}

/// Millionths as decimal text.
pub(crate) fn decimal(micro: i64) -> String {
    harit_engine::Quantity::from_micro(micro).to_string()
}
