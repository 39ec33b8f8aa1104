//! Makes a failing case small: fewer inputs, then a smaller farm.

use harit_model::vector::Case;
use serde_json::Value;

/// The case without what is not needed for it to fail.
pub(crate) fn shrunk(mut case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    loop {
        let before = size(&case);
        case.inputs = without_needless(case.inputs.clone(), |inputs| {
            fails(&Case {
                inputs: inputs.to_vec(),
                ..case.clone()
            })
        });
        for field in ["rules", "alerts", "sensors", "devices", "polyhouses"] {
            let all = case.farm[field].as_array().cloned().unwrap_or_default();
            let with = |some: &[Value]| {
                let mut farm = case.farm.clone();
                farm[field] = Value::Array(some.to_vec());
                Case {
                    farm,
                    ..case.clone()
                }
            };
            let few = without_needless(all, |some| fails(&with(some)));
            case = with(&few);
        }
        if size(&case) == before {
            return case;
        }
    }
}

fn size(case: &Case) -> usize {
    case.inputs.len() + case.farm.to_string().len()
}

/// Delta debugging: leaves out ever smaller pieces as long as it still fails.
fn without_needless(mut all: Vec<Value>, fails: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut piece = all.len();
    while piece > 0 {
        let mut start = 0;
        while start < all.len() {
            let mut fewer = all.clone();
            fewer.drain(start..(start + piece).min(all.len()));
            if fails(&fewer) {
                all = fewer;
            } else {
                start += piece;
            }
        }
        piece /= 2;
    }
    all
}
