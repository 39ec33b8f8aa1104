//! The rules of `docs/programs.md`: each is read from the page, and the story that its section names is played with it.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use harit_engine::RuleSpec;
use harit_scenarios::{Manner, play, read};

/// The page's sections that have rules: heading, stories that they name, and the rules.
fn sections(page: &str) -> Vec<(&str, Vec<&str>, Vec<RuleSpec>)> {
    let mut all = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let section = section.split("\n## ").next().unwrap();
        let heading = section.lines().next().unwrap();
        let stories = { section.split("](../testdata/scenarios/").skip(1) }
            .map(|link| link.split(')').next().unwrap())
            .collect();
        let rules = { section.split("```json\n").skip(1) }
            .flat_map(|block| {
                let block = block.split("```").next().unwrap();
                let documents = serde_json::Deserializer::from_str(block).into_iter();
                documents.map(|json| RuleSpec::from_json(&json.unwrap()).unwrap())
            })
            .collect();
        all.push((heading, stories, rules));
    }
    all
}

#[test]
fn every_rule_of_the_page_does_what_its_story_tells() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/programs.md")).unwrap();
    let sections = sections(&page);
    assert!(sections.len() >= 10, "only {} sections", sections.len());
    let played: usize = sections.iter().map(|(_, _, rules)| rules.len()).sum();
    let written = page.matches("\"trigger\":").count();
    assert_eq!(played, written, "a rule stands outside of a section's json");
    for (heading, stories, rules) in sections {
        let [story] = stories[..] else {
            panic!("{heading} names {} stories", stories.len());
        };
        let text = fs::read_to_string(root.join("testdata/scenarios").join(story)).unwrap();
        let mut story = read(&text).unwrap_or_else(|w| panic!("{heading}: {}: {}", w.line, w.what));
        let ids = |rules: &[RuleSpec]| rules.iter().map(|r| r.id.to_string()).collect();
        let (told, on_page): (BTreeSet<String>, BTreeSet<String>) =
            (ids(&story.farm.rules), ids(&rules));
        assert_eq!(told, on_page, "{heading}");
        for rule in &rules {
            let fires = format!("rule_fired {}", rule.id);
            let shown = story.expected.iter().any(|e| e.event == fires);
            assert!(shown, "{heading}: {} never fires", rule.id);
        }
        story.farm.rules = rules;
        for manner in Manner::ALL {
            let wrong = play(&story, manner, &mut |_, _| {});
            let wrong: Vec<_> = wrong.iter().map(|w| (w.line, &w.what)).collect();
            assert!(wrong.is_empty(), "{heading} ({manner:?}): {wrong:?}");
        }
    }
}
