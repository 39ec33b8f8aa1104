//! Profiles, what they read, and what goes out by them.

use harit_engine::{Measured, Quantity};
use harit_profiles::{
    Aliases, Announcements, MAX_SAID, Order, Profile, ProfileDocument, Profiles, Said, candidates,
};
use harit_protocol::{canonical, usable_id};

/// Reads whatever there is of each kind of payload.
const BROAD: [&str; 6] = ["json", "text", "line", "sparkplug", "cbor", "form"];

/// The parts of an input, with a zero byte between them.
fn parts(data: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let mut all = data.splitn(3, |b| *b == 0);
    let mut next = || all.next().unwrap_or_default();
    (next(), next(), next())
}

fn document(data: &[u8]) -> Option<ProfileDocument> {
    let text = std::str::from_utf8(data).ok()?;
    let read = match text.trim_start().starts_with('{') {
        true => ProfileDocument::from_json(text),
        false => ProfileDocument::from_toml(text),
    };
    let document = read.ok()?;
    let json = serde_json::to_string(&document).expect("a document is JSON");
    // Escaped it may be longer than a document can be.
    if let Ok(back) = ProfileDocument::from_json(&json) {
        assert_eq!(back, document);
    }
    Some(document)
}

fn profile(data: &[u8]) -> Option<Profile> {
    match Profile::new(&document(data)?) {
        Ok(profile) => Some(profile),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a problem");
            assert!(problems.iter().all(|p| !p.message.is_empty()));
            None
        }
    }
}

/// What was read is bounded, has names that people can find, and values that journal.
fn holds(said: &Said) {
    assert!(said.readings.len() <= MAX_SAID && said.devices.len() <= MAX_SAID);
    assert!(said.not_numbers <= said.readings.len());
    for (n, reading) in said.readings.iter().enumerate() {
        assert!(usable_id(&reading.id), "{:?}", reading.id);
        assert_eq!(canonical(reading.value), reading.value);
        let again = |r: &harit_profiles::Reading| r.id == reading.id && r.time == reading.time;
        assert!(
            !said.readings[..n].iter().any(again),
            "{:?} twice",
            reading.id
        );
    }
    assert!(
        said.readings
            .iter()
            .filter(|r| r.value == Measured::NotFinite)
            .count()
            >= said.not_numbers
    );
    let readings = said.readings.len();
    let told = said.clone().telemetry();
    assert_eq!(told.items.len(), readings);
    assert_eq!(
        told.messages.iter().map(|m| m.items.len()).sum::<usize>(),
        readings
    );
}

/// A document, a topic and a payload: refused with reasons, or read, the same each time.
pub fn profile_document(data: &[u8]) {
    let (document, topic, payload) = parts(data);
    let (Some(profile), Ok(topic)) = (profile(document), std::str::from_utf8(topic)) else {
        return;
    };
    let profiles = Profiles::of_one(profile);
    let read = || {
        let mut aliases = Aliases::default();
        let read = profiles.read(topic, payload, &mut aliases);
        read.map(|(_, said)| said)
    };
    let first = read();
    if let Ok(said) = &first {
        holds(said);
    }
    assert_eq!(read(), first);
}

/// A payload, read as the kind that its first byte says by a profile that takes in everything, and by those that are shipped on the
/// topic in its first line; and what would be proposed for it.
pub fn foreign_payload(data: &[u8]) {
    let Some((kind, payload)) = data.split_first() else {
        return;
    };
    let kind = BROAD[usize::from(*kind) % BROAD.len()];
    let text = format!(
        "id = \"a\"\nname = \"A\"\n[[messages]]\ntopics = [\"spBv1.0/{{g}}/{{m}}/{{e...}}\"]\npayload = \"{kind}\"\n\
         within = [\"/metrics/*\", \"/*\", \"/\"]\ntime = {{ at = \"time\", as = \"ns\" }}\n\
         readings = [{{ at = [\"fields/*\", \"value\", \"*\"], type = \"temperature\", unit_at = \"unit\" }}]\n"
    );
    let read = profile(text.as_bytes()).expect("it is sound");
    let (own, shipped) = (Profiles::of_one(read), Profiles::new(vec![]));
    let mut aliases = Aliases::default();
    for topic in ["spBv1.0/g/NBIRTH/e", "spBv1.0/g/NDATA/e"] {
        if let Ok((_, said)) = own.read(topic, payload, &mut aliases) {
            holds(&said);
        }
    }
    let line = payload.iter().position(|b| *b == b'\n').unwrap_or(0);
    let (Ok(topic), payload) = (std::str::from_utf8(&payload[..line]), &payload[line..]) else {
        return;
    };
    if let Ok((_, said)) = shipped.read(topic, payload, &mut Aliases::default()) {
        holds(&said);
    }
    // Each is there or not: nothing else is promised of what is guessed.
    let _ = candidates(topic, payload);
    if Announcements::may_be(topic) {
        Announcements::default().hear(topic, payload);
    }
}

/// A document, or nothing for those that are shipped, and a device's id: what goes out for orders goes to no topic of ours, and nothing
/// that switches on goes out without a lease.
pub fn command_template(data: &[u8]) {
    let (document, own, id) = parts(data);
    let profiles = match document {
        [] => Profiles::new(vec![]),
        document => match profile(document) {
            Some(profile) => Profiles::of_one(profile),
            None => return,
        },
    };
    let (Ok(own), Ok(id)) = (std::str::from_utf8(own), std::str::from_utf8(id)) else {
        return;
    };
    let Some(device) = profiles.controlled(own) else {
        return;
    };
    let half = Some(Quantity::from_micro(50_000_000));
    for order in [
        Order::Off,
        Order::On(None),
        Order::On(half),
        Order::Pulse(5),
    ] {
        let sent = device.order(order, id, None);
        assert_eq!(device.order(order, id, None), sent);
        let is_leased = device.lease() != harit_profiles::LeaseKind::None;
        assert!(
            is_leased || !order.is_on() || sent.is_none(),
            "on without a lease"
        );
        let renewed = device.renewal(None, id);
        assert!(is_leased || renewed.is_none());
        for (topic, _) in sent.into_iter().flatten().chain(renewed) {
            let is_ours = topic.is_empty() || topic.starts_with('$') || topic.starts_with("harit/");
            assert!(!is_ours && topic != "harit", "{topic:?}");
            assert!(!topic.contains(['+', '#', '\0']), "{topic:?}");
        }
    }
}
