//! The committed corpora of what profiles read and send, and bytes that are made of them.

use harit_fuzz_targets as targets;

type Target = fn(&[u8]);

const ALL: [(&str, Target); 3] = [
    ("profile_document", targets::profile_document),
    ("foreign_payload", targets::foreign_payload),
    ("command_template", targets::command_template),
];

#[test]
fn what_was_found_stays_found() {
    for (name, target) in ALL {
        let files = targets::replay(name, target).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(files >= 4, "{name}: only {files} files");
    }
}
