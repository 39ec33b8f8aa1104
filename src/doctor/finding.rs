//! What a check came to, and how it is told: a line for people, an object for programs.

use std::fmt::Write as _;

use serde::Serialize;

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Ok,
    /// It works, and will not for long, or not safely.
    Warning,
    /// A server does not start, or does not do its work.
    Fault,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(super) check: &'static str,
    pub(super) verdict: Verdict,
    pub(super) said: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_do: Option<String>,
}

/// All that was looked at, in order.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    pub(super) fn ok(&mut self, check: &'static str, said: impl Into<String>) {
        self.add(check, Verdict::Ok, said.into(), None);
    }

    pub(super) fn warning(
        &mut self,
        check: &'static str,
        said: impl Into<String>,
        to_do: impl Into<String>,
    ) {
        self.add(check, Verdict::Warning, said.into(), Some(to_do.into()));
    }

    pub(super) fn fault(
        &mut self,
        check: &'static str,
        said: impl Into<String>,
        to_do: impl Into<String>,
    ) {
        self.add(check, Verdict::Fault, said.into(), Some(to_do.into()));
    }

    fn add(&mut self, check: &'static str, verdict: Verdict, said: String, to_do: Option<String>) {
        self.0.push(Finding {
            check,
            verdict,
            said,
            to_do,
        });
    }

    /// The worst of them.
    pub(super) fn verdict(&self) -> Verdict {
        let all = self.0.iter().map(|f| f.verdict);
        all.max().unwrap_or(Verdict::Ok)
    }

    /// Whether a check found nothing but what is well so far.
    pub(super) fn all_well(&self, check: &str) -> bool {
        let mut of = self.0.iter().filter(|f| f.check == check);
        of.all(|f| f.verdict == Verdict::Ok)
    }

    /// A line each, with what to do below it.
    pub(super) fn text(&self) -> String {
        let width = self.0.iter().map(|f| f.check.len()).max().unwrap_or(0);
        let mut text = String::new();
        for f in &self.0 {
            let verdict = match f.verdict {
                Verdict::Ok => "ok",
                Verdict::Warning => "warning",
                Verdict::Fault => "FAULT",
            };
            // a String takes everything
            let _ = writeln!(text, "{verdict:<7}  {:<width$}  {}", f.check, f.said);
            if let Some(to_do) = &f.to_do {
                let _ = writeln!(text, "{:<7}  {:<width$}  -> {to_do}", "", "");
            }
        }
        text
    }

    /// The same for programs.
    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::json!({"verdict": self.verdict(), "checks": self.0})
    }

    #[cfg(test)]
    pub(super) fn of(&self, check: &str) -> Vec<&Finding> {
        self.0.iter().filter(|f| f.check == check).collect()
    }
}

/// Bytes for people.
pub(super) fn bytes(n: u64) -> String {
    const MIB: u64 = 1 << 20;
    if n >= 10 << 30 {
        format!("{} GiB", n >> 30)
    } else if n >= MIB {
        format!("{} MiB", n / MIB)
    } else {
        format!("{} KiB", n.div_ceil(1_024))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_counts_and_says_what_to_do() {
        let mut all = Findings::default();
        assert_eq!(all.verdict(), Verdict::Ok);
        all.ok("disk", "much room");
        all.warning("certificate", "ends in 3 days", "renew it");
        assert_eq!(all.verdict(), Verdict::Warning);
        assert_eq!(
            all.text(),
            "ok       disk         much room\nwarning  certificate  ends in 3 days\n                      -> renew it\n"
        );
        all.fault("disk", "full", "make room");
        let json = all.json();
        assert_eq!(json["verdict"], "fault");
        assert_eq!(json["checks"][2]["to_do"], "make room");
        assert!(json["checks"][0].get("to_do").is_none());
    }

    #[test]
    fn bytes_are_short() {
        let told = [1, 3 << 20, 9 << 30, 40 << 30].map(bytes);
        assert_eq!(told, ["1 KiB", "3 MiB", "9216 MiB", "40 GiB"]);
    }
}
