//! The table of docs/asvs.md: what it names is there.

use std::fs;
use std::path::Path;

/// Where the tests of a suite are, by its name in the table.
fn file_of(suite: &str, file: &str) -> Option<String> {
    match suite {
        "api" => Some(format!("api/tests/api/{file}.rs")),
        "system" => Some(format!("tests/system/{file}.rs")),
        "harit" => Some(format!("src/{file}.rs")),
        "mqtt" => Some(format!("ingest/tests/mqtt/{file}.rs")),
        _ => None,
    }
}

#[test]
fn every_test_of_the_table_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let table = fs::read_to_string(root.join("docs/asvs.md")).expect("the table");
    let rows: Vec<&str> = table.lines().filter(|l| l.starts_with("| ")).collect();
    let (mut tests, mut missing) = (0, Vec::new());
    for named in rows
        .iter()
        .flat_map(|row| row.split('`').skip(1).step_by(2))
    {
        if let Some(path) = named.strip_prefix("console:") {
            if !root.join("console").join(path).exists() {
                missing.push(named);
            }
            continue;
        }
        let parts: Vec<&str> = named.split("::").collect();
        let ([suite, file, .., test], true) = (parts.as_slice(), parts.len() >= 3) else {
            continue;
        };
        let Some(path) = file_of(suite, file) else {
            continue;
        };
        tests += 1;
        let source = fs::read_to_string(root.join(path)).unwrap_or_default();
        if !source.contains(&format!("fn {test}(")) {
            missing.push(named);
        }
    }
    assert!(missing.is_empty(), "not there: {missing:#?}");
    assert!(tests > 40, "{tests}");
}
