//! Tokens of programs: `harit_`, 256 random bits and a checksum, in hex digits. The prefix and the checksum let scanners find one
//! that leaked and be sure of it; what is mistyped is refused without a look into the records.

use super::token::{NoRandomness, new_secret, sha256_hex};

/// What every token begins with.
pub(crate) const PREFIX: &str = "harit_";
/// The length of the random part, in hex digits.
const RANDOM: usize = 64;
/// The length of the checksum, in hex digits: the first of the SHA-256 of prefix and random part.
const CHECKSUM: usize = 8;
/// How much of a token people are shown later, to know it again.
const START: usize = PREFIX.len() + 6;

/// A new token.
pub(crate) fn new_api_token() -> Result<String, NoRandomness> {
    let body = format!("{PREFIX}{}", new_secret()?);
    let sum = checksum(&body);
    Ok(body + sum.as_str())
}

/// Whether that is a token of a program and no sign-in.
pub(crate) fn is_api_token(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Whether a text has the form of a token, its checksum included.
pub(crate) fn is_whole(text: &str) -> bool {
    let split = text.split_at_checked(PREFIX.len() + RANDOM);
    split.is_some_and(|(body, sum)| is_api_token(body) && sum == checksum(body))
}

/// The beginning of a token, by which people know it again and nobody can use it.
pub(crate) fn start_of(token: &str) -> &str {
    token.get(..START).unwrap_or(token)
}

fn checksum(body: &str) -> String {
    let mut hash = sha256_hex(body.as_bytes());
    hash.truncate(CHECKSUM);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_recognised_and_one_wrong_digit_is_seen() {
        let token = new_api_token().expect("random");
        assert_eq!(token.len(), PREFIX.len() + RANDOM + CHECKSUM);
        assert!(is_api_token(&token) && is_whole(&token));
        assert_eq!(start_of(&token).len(), 12);
        for at in PREFIX.len()..token.len() {
            let mut other = token.clone().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            let other = String::from_utf8(other).expect("ASCII");
            assert!(!is_whole(&other), "digit {at}");
        }
        for bad in [
            "",
            "harit_",
            &token[1..],
            &token[..token.len() - 1],
            "हरित_",
        ] {
            assert!(!is_whole(bad), "{bad}");
        }
        // fixed for ever: scanners and clients know it
        assert!(is_whole(
            "harit_000000000000000000000000000000000000000000000000000000000000000037bb9014"
        ));
    }
}
