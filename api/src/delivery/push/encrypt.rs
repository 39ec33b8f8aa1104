//! Encryption for one browser (RFC 8291) in one record of aes128gcm (RFC 8188): neither the push service nor who listens on the
//! way reads what a message says.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom, SystemRandom};

const SALT_BYTES: usize = 16;
const KEY_BYTES: usize = 16;
pub(crate) const PUBLIC_BYTES: usize = 65;
pub(crate) const AUTH_BYTES: usize = 16;
/// The size of a record: push services take no more than that (RFC 8030, section 7.2).
const RECORD_BYTES: usize = 4_096;
/// Salt, record size, the key's length and the key.
const HEADER_BYTES: usize = SALT_BYTES + 4 + 1 + PUBLIC_BYTES;
/// The most that one message holds: the record without its header, the end's mark and the tag.
pub(super) const MAX_PLAIN_BYTES: usize = RECORD_BYTES - HEADER_BYTES - 1 - 16;

struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

/// Expands a secret to `N` bytes.
fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[&[u8]]) -> Option<[u8; N]> {
    let prk = Salt::new(HKDF_SHA256, salt).extract(secret);
    let mut out = [0; N];
    prk.expand(info, Bytes(N)).ok()?.fill(&mut out).ok()?;
    Some(out)
}

/// Whether a browser's public key is a point on the curve.
pub(crate) fn is_public_key(p256dh: &[u8]) -> bool {
    let Ok(key) = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()) else {
        return false;
    };
    agree_ephemeral(key, &UnparsedPublicKey::new(&ECDH_P256, p256dh), |_| ()).is_ok()
}

/// The body of a request to a push service; none where the browser's key is none, or the text is too long.
pub(super) fn encrypted(plain: &[u8], p256dh: &[u8], auth: &[u8]) -> Option<Vec<u8>> {
    let random = SystemRandom::new();
    let mut salt = [0; SALT_BYTES];
    random.fill(&mut salt).ok()?;
    with(plain, p256dh, auth, salt, &random)
}

fn with(
    plain: &[u8],
    p256dh: &[u8],
    auth: &[u8],
    salt: [u8; SALT_BYTES],
    random: &dyn SecureRandom,
) -> Option<Vec<u8>> {
    if plain.len() > MAX_PLAIN_BYTES {
        return None;
    }
    let own = EphemeralPrivateKey::generate(&ECDH_P256, random).ok()?;
    let public = own.compute_public_key().ok()?;
    let public = public.as_ref();
    let browser = UnparsedPublicKey::new(&ECDH_P256, p256dh);
    let about: [&[u8]; 3] = [b"WebPush: info\0", p256dh, public];
    let secret = agree_ephemeral(own, &browser, |shared| derive::<32>(auth, shared, &about));
    let secret = secret.ok()??;
    let key: [u8; KEY_BYTES] = derive(&salt, &secret, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; NONCE_LEN] = derive(&salt, &secret, &[b"Content-Encoding: nonce\0"])?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
    // 2 ends the last record, without padding
    let mut record = [plain, &[2]].concat();
    key.seal_in_place_append_tag(
        Nonce::assume_unique_for_key(nonce),
        Aad::empty(),
        &mut record,
    )
    .ok()?;
    let size = u32::try_from(RECORD_BYTES).ok()?.to_be_bytes();
    let length = [u8::try_from(public.len()).ok()?];
    Some([&salt[..], &size, &length, public, &record].concat())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
    #[allow(
        deprecated,
        reason = "randomness that is given is for test vectors alone"
    )]
    use ring::test::rand::FixedSliceRandom;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        BASE64.decode(text).expect("base64")
    }

    /// RFC 8291, section 5 and appendix A.
    #[test]
    fn a_message_is_the_one_of_the_standard() {
        let private = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        #[allow(
            deprecated,
            reason = "randomness that is given is for test vectors alone"
        )]
        let random = FixedSliceRandom { bytes: &private };
        let p256dh = bytes(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        );
        let auth = bytes("BTBZMqHH6r4Tts7J_aSIgg");
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().expect("16");
        let plain = b"When I grow up, I want to be a watermelon";
        let made = with(plain, &p256dh, &auth, salt, &random).expect("made");
        let standard = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(BASE64.encode(made), standard);
    }

    #[test]
    fn what_is_too_long_or_for_no_key_is_not_made() {
        let key = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).expect("a key");
        let public = key.compute_public_key().expect("its public key");
        let (public, auth) = (public.as_ref(), [7; AUTH_BYTES]);
        assert!(is_public_key(public));
        let longest = encrypted(&[b'a'; MAX_PLAIN_BYTES], public, &auth).expect("made");
        assert_eq!(longest.len(), RECORD_BYTES);
        assert!(encrypted(&[b'a'; MAX_PLAIN_BYTES + 1], public, &auth).is_none());
        let mut off = public.to_vec();
        off[64] ^= 1;
        for wrong in [
            &off[..],
            &[4; PUBLIC_BYTES],
            &[0; PUBLIC_BYTES],
            b"",
            &public[..64],
        ] {
            assert!(!is_public_key(wrong));
            assert!(encrypted(b"text", wrong, &auth).is_none());
        }
        let again = encrypted(b"text", public, &auth);
        assert_ne!(
            again,
            encrypted(b"text", public, &auth),
            "a salt and a key of its own"
        );
    }
}
