//! A lock in a bucket, which knows no process: an object that is renewed while its owner lives.
//!
//! Who wants one puts it, then looks who else has one; two that come at once may both go, and try again. How old another's is
//! says the store's clock, by which one's own was put just now: a Raspberry Pi has none to trust.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use ring::rand::SecureRandom as _;
use tokio::task::JoinHandle;

use super::Access;

/// The folder of all leases.
pub(super) const FOLDER: &str = "locks";
/// How often one is renewed.
const RENEWED_EVERY: Duration = Duration::from_mins(2);
/// How long its owner believes in it without having been able to renew it.
const BELIEVED: Duration = Duration::from_mins(8);
/// How old one is when its owner is taken for dead: longer than it may believe in it, and a write that it began may take.
const OVER_SEC: i64 = 15 * 60;

/// Why there is none.
#[derive(Debug)]
pub(super) enum NoLease {
    /// Somebody has one that does not go with this one: who, as they wrote it.
    Taken(String),
    /// The store refused.
    Store(object_store::Error),
}

impl From<object_store::Error> for NoLease {
    fn from(e: object_store::Error) -> Self {
        Self::Store(e)
    }
}

/// A lease that is renewed until it is given back.
#[derive(Debug)]
pub(super) struct Lease {
    own: Path,
    renewed: Arc<Mutex<Instant>>,
    renewing: JoinHandle<()>,
}

impl Lease {
    /// Gets one in the folder of leases, or says who is in the way.
    pub(super) async fn acquire(
        objects: &Arc<dyn ObjectStore>,
        folder: &Path,
        access: Access,
    ) -> Result<Self, NoLease> {
        let own = folder.clone().join(format!("{}{}", kind(access), random()));
        let who = owner();
        let begun = Instant::now();
        objects.put(&own, who.clone().into()).await?;
        if let Err(refused) = alone(objects, folder, &own, access).await {
            // Left there, it would be over by itself.
            let _left = objects.delete(&own).await;
            return Err(refused);
        }
        let renewed = Arc::new(Mutex::new(begun));
        let renewing = tokio::spawn(renew(objects.clone(), own.clone(), who, renewed.clone()));
        Ok(Self {
            own,
            renewed,
            renewing,
        })
    }

    /// Whether nobody else can have taken its owner for dead.
    pub(super) fn holds(&self) -> bool {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.elapsed() < BELIEVED
    }

    /// Gives it back. Where the store cannot be reached it is over by itself.
    pub(super) async fn give_back(self, objects: &Arc<dyn ObjectStore>) {
        self.renewing.abort();
        let _aborted = self.renewing.await;
        let _left = objects.delete(&self.own).await;
    }
}

const fn kind(access: Access) -> &'static str {
    match access {
        Access::Write => "write-",
        Access::Read | Access::Peek => "read-",
    }
}

/// Refuses where another lease does not go with one's own; of those that are over, the objects are removed.
async fn alone(
    objects: &Arc<dyn ObjectStore>,
    folder: &Path,
    own: &Path,
    access: Access,
) -> Result<(), NoLease> {
    let all: Vec<ObjectMeta> = objects.list(Some(folder)).try_collect().await?;
    let now = all.iter().find(|lease| lease.location == *own);
    let Some(now) = now.map(|own| own.last_modified) else {
        return Err(NoLease::Taken("somebody who removed this lease".to_owned()));
    };
    for other in all.iter().filter(|lease| lease.location != *own) {
        let writes = other
            .location
            .filename()
            .is_some_and(|name| name.starts_with(kind(Access::Write)));
        if (now - other.last_modified).num_seconds() > OVER_SEC {
            // Perhaps who removes it may not, or another was faster.
            let _left = objects.delete(&other.location).await;
        } else if writes || access == Access::Write {
            return Err(NoLease::Taken(whose(objects, other).await));
        }
    }
    Ok(())
}

async fn whose(objects: &Arc<dyn ObjectStore>, lease: &ObjectMeta) -> String {
    let read = async { objects.get(&lease.location).await?.bytes().await };
    read.await.map_or_else(
        |_| lease.location.to_string(),
        |bytes| String::from_utf8_lossy(&bytes).trim().to_owned(),
    )
}

async fn renew(
    objects: Arc<dyn ObjectStore>,
    own: Path,
    who: String,
    renewed: Arc<Mutex<Instant>>,
) {
    loop {
        tokio::time::sleep(RENEWED_EVERY).await;
        let begun = Instant::now();
        // Where it cannot be renewed the next time may be better.
        if objects.put(&own, who.clone().into()).await.is_ok() {
            *renewed.lock().unwrap_or_else(PoisonError::into_inner) = begun;
        }
    }
}

/// Who has a lease, for people.
fn owner() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("process {} of {}", std::process::id(), host.trim())
}

fn random() -> String {
    let mut bytes = [0; 8];
    // Of two leases with one name each would take the other's for its own, and the random numbers of a system do not fail.
    let _filled = ring::rand::SystemRandom::new().fill(&mut bytes);
    format!("{:016x}", u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[tokio::test]
    async fn who_writes_is_alone_and_who_reads_is_among_readers() {
        let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let folder = Path::from("farm/locks");
        let acquire = |access| Lease::acquire(&objects, &folder, access);
        let reader = acquire(Access::Read).await.unwrap();
        let second = acquire(Access::Read).await.unwrap();
        let refused = acquire(Access::Write).await.unwrap_err();
        assert!(
            matches!(&refused, NoLease::Taken(who) if who.starts_with("process ")),
            "{refused:?}"
        );
        reader.give_back(&objects).await;
        second.give_back(&objects).await;
        let writer = acquire(Access::Write).await.unwrap();
        assert!(writer.holds());
        for access in [Access::Read, Access::Write] {
            assert!(matches!(acquire(access).await, Err(NoLease::Taken(_))));
        }
        writer.give_back(&objects).await;
        let left: Vec<ObjectMeta> = objects.list(None).try_collect().await.unwrap();
        assert_eq!(left, []);
    }
}
