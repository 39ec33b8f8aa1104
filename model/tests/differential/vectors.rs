//! The recorded cases: what model and engine say today is what they say. `HARIT_VECTORS` names another folder of them.

use std::path::{Path, PathBuf};

use harit_model::Model;
use harit_model::vector::{Case, difference};
use serde_json::Value;

use crate::engine_side::run;

fn folders() -> Vec<PathBuf> {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/vectors");
    let root = std::env::var_os("HARIT_VECTORS").map_or_else(own, PathBuf::from);
    let entries = std::fs::read_dir(&root).unwrap().map(|e| e.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|p| p.join("farm.json").exists()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "no cases in {}", root.display());
    folders
}

fn agrees(events: impl Fn(&Case) -> Vec<Value>) {
    let mut wrong = Vec::new();
    for folder in folders() {
        let (case, expected) = Case::load(&folder).unwrap();
        if let Some((at, said, missing)) = difference(&events(&case), &expected) {
            wrong.push(format!(
                "{}: at {at} {said:#?} instead of {missing:#?}",
                folder.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_model_agrees_with_the_recorded_cases() {
    agrees(|case| {
        let mut model = Model::new(&case.farm).unwrap();
        case.all_inputs()
            .flat_map(|input| model.apply(&input).unwrap())
            .collect()
    });
}

#[test]
fn the_engine_agrees_with_the_recorded_cases() {
    agrees(|case| run(case).unwrap());
}
