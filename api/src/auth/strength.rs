//! Whether a new password is one of the first that anybody would try. Nothing is asked of how it is composed.

/// Words that everybody who attacks a farm's server tries.
const CONTEXT: [&str; 6] = [
    "harit",
    "polyhouse",
    "greenhouse",
    "fertigation",
    "farm",
    "kheti",
];
/// Passwords that fall within so many guesses (as a power of ten) are refused: the few thousand most common ones, with their
/// usual variations, and those that are two such words, or the person's own, one after another.
const LEAST_GUESSES_LOG10: f64 = 4.5;
/// What is estimated of a long password; the estimate's time grows with the length.
const LOOKED_AT_CHARS: usize = 64;

/// Whether a password is guessed at once by who knows the person's `own` words: name, contact.
pub(crate) fn guessable(password: &str, own: &[&str]) -> bool {
    let start: String = password.chars().take(LOOKED_AT_CHARS).collect();
    let mut words: Vec<&str> = CONTEXT.to_vec();
    for word in own {
        words.push(word);
        words.extend(word.split('@'));
        words.extend(word.split(['@', '.', ' ', '+']).filter(|w| !w.is_empty()));
    }
    zxcvbn::zxcvbn(&start, &words).guesses_log10() < LEAST_GUESSES_LOG10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_anybody_tries_are_refused_and_nothing_else() {
        let own = ["Asha Patil", "asha.patil@kheti.test", "+919876543210"];
        for (password, refused) in [
            ("password", true),
            ("Password1", true),
            ("12345678", true),
            ("qwertyuiop", true),
            ("iloveyou", true),
            ("aaaaaaaa", true),
            ("polyhouse", true),
            ("ashapatil", true),
            ("asha.patil", true),
            ("9876543210", true),
            ("polyhouse-demo", false),
            ("correct horse battery", false),
            ("टमाटर की क्यारी", false),
            ("mango-7-lane", false),
        ] {
            assert_eq!(guessable(password, &own), refused, "{password}");
        }
        assert!(!guessable(&"x7 क".repeat(300), &own));
    }
}
