//! Sign-ins that failed, in the audit log: the first of an account at once, the others of the same minute as one entry with their
//! number. The log is never trimmed, so strangers must not be able to make it grow as fast as they can ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;

use crate::audit::{Action, Entry};
use crate::contact::Contact;
use crate::records::{Method, Origin, Records};

/// How long a failure waits before it is looked up and written down: until its answer is out.
const WRITE_AFTER: Duration = Duration::from_millis(50);
/// Failures of one account within this time are one entry.
const GATHER: Duration = Duration::from_secs(60);
/// The most accounts that are counted apart at one time; failures of others are counted with those of nobody.
const MAX_COUNTED: usize = 1_000;

/// Counts failures.
#[derive(Debug, Clone)]
pub(super) struct Failures {
    records: Records,
    /// By account and way, those that are not written yet.
    counted: Arc<Mutex<HashMap<(String, Method), u64>>>,
}

impl Failures {
    pub(super) fn new(records: Records) -> Self {
        Self {
            records,
            counted: Arc::default(),
        }
    }

    /// Counts a sign-in that failed. It is not waited for: the time would tell whose account it was. What was typed is not
    /// written down, because people type passwords into the wrong field.
    pub(super) fn count(&self, contact: &Contact, method: Method, from: Origin<'_>) {
        metrics::counter!("harit_sign_ins_total", "result" => "failed").increment(1);
        let (this, contact) = (self.clone(), contact.clone());
        let address = from.address.map(str::to_owned);
        tokio::spawn(async move {
            tokio::time::sleep(WRITE_AFTER).await;
            let user = this.records.account_of(&contact).await.ok().flatten();
            this.write(user.map_or_else(String::new, |u| u.id), method, address)
                .await;
        });
    }

    async fn write(&self, user: String, method: Method, address: Option<String>) {
        let Some(key) = self.first(user, method) else {
            return;
        };
        self.entry(&key, 1, address).await;
        tokio::time::sleep(GATHER).await;
        let more = self.lock().remove(&key).unwrap_or(0);
        if more > 0 {
            self.entry(&key, more, None).await;
        }
    }

    /// The key of a failure that is the first of its minute; others are counted.
    fn first(&self, user: String, method: Method) -> Option<(String, Method)> {
        let mut counted = self.lock();
        let mut key = (user, method);
        if counted.len() >= MAX_COUNTED && !counted.contains_key(&key) {
            key.0.clear();
        }
        if let Some(n) = counted.get_mut(&key) {
            *n += 1;
            return None;
        }
        counted.insert(key.clone(), 0);
        Some(key)
    }

    async fn entry(&self, (user, method): &(String, Method), times: u64, address: Option<String>) {
        let entry = Entry {
            actor: None,
            action: Action::SignInFailed,
            subject: user.clone(),
            details: json!({"method": method.as_str(), "times": times}),
            address,
        };
        let user = (!user.is_empty()).then_some(user.as_str());
        self.records.audit_person(user, &entry).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, Method), u64>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
