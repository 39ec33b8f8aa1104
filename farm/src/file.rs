//! A farm as a file has it: its document, and its state where what is told of it begins later than the farm itself.

use harit_engine::{Engine, FarmDocument, Problems};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::farm::Farm;
use crate::snapshot::RestoreError;

/// With what a replay begins: what `harit replay --farm` reads and `harit journal export` writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FarmFile {
    #[serde(flatten)]
    document: FarmDocument,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<Snapshot>,
}

/// The two parts of [`Farm::snapshot`], which are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Snapshot {
    engine: String,
    beside: String,
}

/// A file is no farm.
#[derive(Debug, Error)]
pub enum FileError {
    /// The document makes no sense.
    #[error(transparent)]
    Document(#[from] Problems),
    /// The snapshot is not text as it was written.
    #[error("snapshot: {0}")]
    Snapshot(#[from] serde_json::Error),
    /// The snapshot cannot be read.
    #[error("snapshot: {0}")]
    Restore(#[from] RestoreError),
    /// The document was changed beside the snapshot, which has one of its own.
    #[error(
        "the document is not the snapshot's: take `snapshot` out to begin with the document alone"
    )]
    OtherDocument,
}

impl FarmFile {
    /// A farm that begins with its document.
    #[must_use]
    pub const fn new(document: FarmDocument) -> Self {
        Self {
            document,
            snapshot: None,
        }
    }

    /// A farm as it is now.
    ///
    /// # Errors
    /// When its state cannot be written as JSON.
    pub fn of(farm: &Farm) -> serde_json::Result<Self> {
        let text = |part| String::from_utf8(part).map_err(serde::ser::Error::custom);
        let [engine, beside] = farm.snapshot()?;
        let snapshot = Snapshot {
            engine: text(engine)?,
            beside: text(beside)?,
        };
        Ok(Self {
            document: farm.engine().document(),
            snapshot: Some(snapshot),
        })
    }

    /// Reads a farm from its file: from its snapshot if it has one.
    ///
    /// # Errors
    /// When the document makes no sense, or the snapshot is damaged or of another document.
    pub fn read(json: &serde_json::Value) -> Result<Farm, FileError> {
        let document = FarmDocument::from_json(json)?;
        let snapshot = json.get("snapshot").map(Option::<Snapshot>::deserialize);
        let Some(snapshot) = snapshot.transpose()?.flatten() else {
            return Ok(Farm::new(Engine::new(&document)?));
        };
        let (engine, beside) = (snapshot.engine.as_bytes(), snapshot.beside.as_bytes());
        let farm = Farm::restore(engine, beside)?;
        if farm.engine().document() == document {
            Ok(farm)
        } else {
            Err(FileError::OtherDocument)
        }
    }

    /// The farm's document at the beginning.
    #[must_use]
    pub const fn document(&self) -> &FarmDocument {
        &self.document
    }

    /// Whether the farm has a past before what is told of it.
    #[must_use]
    pub const fn has_past(&self) -> bool {
        self.snapshot.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_protocol::jsonl::Line;
    use serde_json::{Value, json};

    fn document() -> Value {
        json!({"farm": {"id": "f1", "name": "F"}, "devices": [
            {"id": "fan-1", "name": "", "type": "fan", "scope": {"type": "farm"}, "controller": "A4CF120B9E01"}]})
    }

    fn tell(farm: &mut Farm, line: &Value) {
        let text = line.to_string();
        farm.apply_line(Line::parse(&text).unwrap(), &mut ())
            .unwrap();
    }

    /// A farm whose controller was heard of, with a command under way.
    fn with_a_past() -> Farm {
        let mut farm = FarmFile::read(&document()).unwrap();
        tell(
            &mut farm,
            &json!({"at": 5, "input": "report", "mac": "A4CF120B9E01", "report":
                {"online": true, "devices": [{"id": "fan-1", "type": "fan", "on": false}]}}),
        );
        tell(
            &mut farm,
            &json!({"at": 6, "input": "manual", "device": "fan-1", "cmd_type": "override", "action": "on", "duration_sec": 60}),
        );
        farm
    }

    #[test]
    fn a_farm_with_a_past_goes_on_as_it_was() {
        let farm = with_a_past();
        assert_eq!(farm.delivery().latest().count(), 1);
        let file = FarmFile::of(&farm).unwrap();
        assert!(file.has_past());
        assert_eq!(*file.document(), farm.engine().document());
        let text = serde_json::to_string_pretty(&file).unwrap();
        let again = FarmFile::read(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(again.snapshot().unwrap(), farm.snapshot().unwrap());
    }

    #[test]
    fn a_farm_without_one_begins_with_its_document() {
        let farm = FarmFile::read(&document()).unwrap();
        let file = FarmFile::new(farm.engine().document());
        assert!(!file.has_past());
        let json = serde_json::to_value(&file).unwrap();
        assert_eq!(json.get("snapshot"), None);
        let again = FarmFile::read(&json).unwrap();
        assert_eq!(again.snapshot().unwrap(), farm.snapshot().unwrap());
    }

    #[test]
    fn what_is_no_farm_is_refused_with_its_reason() {
        let whole = serde_json::to_value(FarmFile::of(&with_a_past()).unwrap()).unwrap();
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut json = whole.clone();
            change(&mut json);
            FarmFile::read(&json).map(|_| ()).map_err(|e| e.to_string())
        };
        assert_eq!(changed(&|_| {}), Ok(()));
        assert_eq!(changed(&|json| json["snapshot"] = Value::Null), Ok(()));
        for (refused, expected) in [
            (
                changed(&|json| json["devices"][0]["name"] = json!("Fan")),
                "the document is not the snapshot's",
            ),
            (
                changed(&|json| json["farm"]["id"] = Value::Null),
                "farm.id:",
            ),
            (
                changed(&|json| json["snapshot"] = json!({"engine": "x"})),
                "snapshot: missing field `beside`",
            ),
            (
                changed(&|json| json["snapshot"]["engine"] = json!("x")),
                "snapshot: the state of a farm cannot be read: not a snapshot",
            ),
        ] {
            let refused = refused.unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
    }
}
