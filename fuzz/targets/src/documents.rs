//! Documents and numbers.

use std::sync::OnceLock;

use harit_engine::{
    AlertSpec, Decimal, Engine, FarmDocument, Input, InputKind, Measured, Problems, RuleSpec,
    Timestamp,
};
use serde_json::Value;

/// The farm into which documents are saved.
const FARM: &str = include_str!("farm.json");
const PROGRAMS: &str = include_str!("programs.json");

/// Read once: the fuzzer asks for it often.
pub(crate) fn farm_json() -> &'static FarmDocument {
    static DOCUMENT: OnceLock<FarmDocument> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let document: Value = serde_json::from_str(FARM).expect("farm.json is JSON");
        FarmDocument::from_json(&document).expect("farm.json is a farm")
    })
}

pub(crate) fn farm() -> Engine {
    Engine::new(farm_json()).expect("farm.json makes an engine")
}

/// The farm whose rules are programs and whose machines have limits, with the ids of the other.
pub(crate) fn programs_json() -> &'static FarmDocument {
    static DOCUMENT: OnceLock<FarmDocument> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let document: Value = serde_json::from_str(PROGRAMS).expect("programs.json is JSON");
        FarmDocument::from_json(&document).expect("programs.json is a farm")
    })
}

fn told(problems: &Problems) {
    assert!(!problems.0.is_empty(), "refused without a problem");
    assert!(
        problems
            .0
            .iter()
            .all(|p| !p.code.is_empty() && !p.message.is_empty())
    );
}

fn json(data: &[u8]) -> Option<Value> {
    serde_json::from_slice(data).ok()
}

/// What `check` says is what `apply` does; what is refused changes nothing; what is accepted is stored and reads back.
fn save(kind: InputKind) -> Option<Engine> {
    let mut engine = farm();
    let input = Input {
        at: Timestamp::from_millis(1_000),
        kind,
    };
    let before = engine.snapshot();
    let checked = engine.check(&input);
    let mut events = vec![];
    match engine.apply(&input, &mut events) {
        Ok(()) => {
            assert_eq!(checked, Ok(()));
            let stored = engine.snapshot();
            let restored = Engine::restore(&stored).expect("a snapshot reads back");
            assert!(restored.snapshot() == stored, "the restored engine differs");
            Some(engine)
        }
        Err(problems) => {
            told(&problems);
            assert_eq!(checked, Err(problems));
            assert!(events.is_empty() && engine.snapshot() == before);
            None
        }
    }
}

/// A rule that is read reads back from its own text, and can be saved or is refused with reasons.
pub fn rule_document(data: &[u8]) {
    let Some(value) = json(data) else { return };
    match RuleSpec::from_json(&value) {
        Err(problems) => told(&problems),
        Ok(rule) => {
            let text = serde_json::to_value(&rule).expect("a rule is JSON");
            assert_eq!(RuleSpec::from_json(&text), Ok(rule.clone()), "{text}");
            if let Some(engine) = save(InputKind::RulePut(Box::new(rule.clone()))) {
                let stored = engine.rule(rule.id.as_str()).expect("it was saved");
                let text = serde_json::to_value(&stored.spec).expect("a rule is JSON");
                let again = RuleSpec::from_json(&text).expect("what is stored is a rule");
                assert_eq!(again, stored.spec);
            }
        }
    }
}

/// The same of an alert rule.
pub fn alert_document(data: &[u8]) {
    let Some(value) = json(data) else { return };
    match AlertSpec::from_json(&value) {
        Err(problems) => told(&problems),
        Ok(alert) => {
            let text = serde_json::to_value(&alert).expect("an alert is JSON");
            assert_eq!(AlertSpec::from_json(&text), Ok(alert.clone()), "{text}");
            save(InputKind::AlertPut(Box::new(alert)));
        }
    }
}

/// A farm that is read makes an engine whose document makes the same engine, or is refused with reasons.
pub fn farm_document(data: &[u8]) {
    let Some(value) = json(data) else { return };
    let document = match FarmDocument::from_json(&value) {
        Err(problems) => return told(&problems),
        Ok(document) => document,
    };
    match Engine::new(&document) {
        Err(problems) => told(&problems),
        Ok(engine) => {
            let text = serde_json::to_value(engine.document()).expect("a farm is JSON");
            let again = FarmDocument::from_json(&text).expect("what is stored is a farm");
            let again = Engine::new(&again).expect("and makes an engine");
            assert_eq!(again.document(), engine.document());
        }
    }
}

/// A number is read to the nearest millionth, whichever way it is written, and alike below and above zero.
pub fn number(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let measured = Measured::parse(text);
    if let Ok(json) = serde_json::from_str::<Measured>(text)
        && text.trim() == text
        && json != Measured::NotFinite
    {
        assert_eq!(json, measured, "as JSON");
    }
    let Measured::Value(decimal) = measured else {
        assert_eq!(Decimal::parse(text), None);
        return;
    };
    let rounded = decimal.rounded();
    assert_eq!(
        Decimal::parse(&rounded.to_string()),
        Some(Decimal::exact(rounded))
    );
    if !text.starts_with(['-', '+']) {
        let mirrored = Decimal::parse(&format!("-{text}")).expect("a number still");
        assert_eq!(mirrored.rounded().as_micro(), -rounded.as_micro());
    }
    if let Some(units) = rounded.as_units() {
        let on_it = decimal == Decimal::exact(rounded);
        let both = decimal.within(units, units);
        assert_eq!(
            both, on_it,
            "within its own whole number exactly if it is it"
        );
    }
}
