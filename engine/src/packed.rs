//! A document as one box of bytes, read when somebody asks for it.
//!
//! An engine owns the documents of its farm, hundreds of thousands of them, and hardly ever looks at one. Kept as the structs
//! that they are read into, with a string here and an id there, they would be most of its memory. So a document is packed:
//! its id, then the numbers of the words that it shares with others, then its fields. Only an engine packs, and only into its
//! own memory (a snapshot holds documents as JSON), so the layout may change with any build, and unpacking cannot fail.

use std::fmt;

use crate::interner::Interner;

#[derive(Clone)]
pub(crate) struct Packed(Box<[u8]>);

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packed({:?}, {} bytes)", self.id(), self.0.len())
    }
}

impl Packed {
    fn parts(&self) -> [&[u8]; 3] {
        let mut rest = &*self.0;
        let id = number(&mut rest);
        let id = cut(&mut rest, id);
        let words = number(&mut rest);
        let words = cut(&mut rest, words);
        [id, words, rest]
    }

    pub(crate) fn id_bytes(&self) -> &[u8] {
        let mut rest = &*self.0;
        let id = number(&mut rest);
        cut(&mut rest, id)
    }

    pub(crate) fn id(&self) -> &str {
        text(self.id_bytes())
    }

    /// The document goes, and with it its use of words.
    pub(crate) fn release(self, words: &mut Interner) {
        let [_, mut named, _] = self.parts();
        while !named.is_empty() {
            words.release(word(&mut named));
        }
    }

    pub(crate) fn fields<'a>(&'a self, words: &'a Interner) -> Unpacker<'a> {
        let [_, named, fields] = self.parts();
        Unpacker {
            words,
            named,
            fields,
        }
    }
}

/// Packs a document, field by field.
pub(crate) struct Packer<'a> {
    words: &'a mut Interner,
    named: Vec<u8>,
    fields: Vec<u8>,
}

impl<'a> Packer<'a> {
    pub(crate) const fn new(words: &'a mut Interner) -> Self {
        Self {
            words,
            named: Vec::new(),
            fields: Vec::new(),
        }
    }

    pub(crate) const fn words(&self) -> &Interner {
        self.words
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.fields.push(byte);
    }

    pub(crate) fn number(&mut self, n: u64) {
        push_number(&mut self.fields, n);
    }

    pub(crate) fn signed(&mut self, n: i64) {
        let zigzag = (n << 1) ^ (n >> 63);
        self.number(zigzag.cast_unsigned());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.fields.extend_from_slice(text.as_bytes());
    }

    /// A text that other documents are likely to have too.
    pub(crate) fn word(&mut self, text: &str) {
        let ix = self.words.take(text);
        push_number(&mut self.named, ix.into());
    }

    pub(crate) fn finish(self, id: &str) -> Packed {
        let mut all = Vec::new();
        push_number(&mut all, id.len() as u64);
        all.extend_from_slice(id.as_bytes());
        push_number(&mut all, self.named.len() as u64);
        all.extend_from_slice(&self.named);
        all.extend_from_slice(&self.fields);
        Packed(all.into())
    }
}

/// Reads a packed document's fields in the order in which they were packed.
pub(crate) struct Unpacker<'a> {
    words: &'a Interner,
    named: &'a [u8],
    fields: &'a [u8],
}

impl<'a> Unpacker<'a> {
    pub(crate) const fn words(&self) -> &'a Interner {
        self.words
    }

    pub(crate) fn byte(&mut self) -> u8 {
        cut(&mut self.fields, 1).first().copied().unwrap_or(0)
    }

    pub(crate) fn number(&mut self) -> u64 {
        number(&mut self.fields)
    }

    pub(crate) fn signed(&mut self) -> i64 {
        let zigzag = self.number();
        (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed()
    }

    pub(crate) fn text(&mut self) -> &'a str {
        let length = self.number();
        text(cut(&mut self.fields, length))
    }

    pub(crate) fn word(&mut self) -> &'a str {
        let ix = self.word_number();
        self.words.text(ix)
    }

    pub(crate) fn word_number(&mut self) -> u32 {
        word(&mut self.named)
    }
}

fn push_number(bytes: &mut Vec<u8>, mut n: u64) {
    while n > 127 {
        bytes.push(n.to_le_bytes()[0] | 128);
        n >>= 7;
    }
    bytes.push(n.to_le_bytes()[0]);
}

fn number(bytes: &mut &[u8]) -> u64 {
    let (mut n, mut shift) = (0, 0);
    while let Some((first, rest)) = bytes.split_first() {
        *bytes = rest;
        n |= u64::from(first & 127) << shift;
        shift += 7;
        if *first < 128 || shift > 63 {
            break;
        }
    }
    n
}

fn word(bytes: &mut &[u8]) -> u32 {
    u32::try_from(number(bytes)).unwrap_or(u32::MAX)
}

fn cut<'a>(bytes: &mut &'a [u8], length: u64) -> &'a [u8] {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let (first, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    first
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}
