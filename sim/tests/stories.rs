//! The stories of `testdata/scenarios` once more: as the lines that `harit replay` reads, and by the naive model's word.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use harit_protocol::jsonl;
use harit_scenarios::{Manner, Story, files, play, read};
use harit_sim::oracle;

/// What the model says otherwise than the engine, or a line that does not read as what was written.
fn judge(story: &Story, manner: Manner) -> Result<(), String> {
    let (mut inputs, mut said, mut misread) = (Vec::new(), Vec::new(), Vec::new());
    let wrong = play(story, manner, &mut |input, events| {
        let mut line = Vec::new();
        jsonl::write(input, &mut line).unwrap();
        let line = String::from_utf8(line).unwrap();
        if jsonl::parse(&line).ok().as_ref() != Some(input) {
            misread.push(format!("{line} does not read as {input:?}"));
        }
        inputs.push(serde_json::from_str(&line).unwrap());
        let events = events.unwrap_or_default().iter();
        said.extend(events.map(|e| serde_json::to_value(e).unwrap()));
    });
    misread.extend(wrong.iter().map(|w| format!("line {}: {}", w.line, w.what)));
    if let Some(why) = misread.into_iter().next() {
        return Err(why);
    }
    let farm = serde_json::to_value(&story.farm).map_err(|e| e.to_string())?;
    oracle::compare(&farm, &inputs, &said)
}

#[test]
fn the_model_tells_every_story_as_the_engine_does() {
    let (mut told, mut wrong) = (0, Vec::new());
    for path in files().unwrap() {
        let read = read(&std::fs::read_to_string(&path).unwrap());
        let story = read.unwrap_or_else(|w| panic!("{}:{}: {}", path.display(), w.line, w.what));
        for manner in Manner::ALL {
            let judged = judge(&story, manner).err();
            wrong.extend(judged.map(|why| format!("{} ({manner:?}): {why}", path.display())));
        }
        told += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told > 90, "only {told} stories");
}
