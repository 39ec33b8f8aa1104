//! Receipts of batches whose publishes went to several shards.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::mqtt::{Receipt, ReceiptSender, Taken};

struct Whole {
    open: AtomicUsize,
    rejected: AtomicUsize,
    sender: Mutex<Option<ReceiptSender>>,
}

/// One shard's part of a receipt. Dropped without [`PartReceipt::resolve`], the batch counts as lost.
pub(crate) struct PartReceipt(Arc<Whole>);

impl PartReceipt {
    /// A receipt in so many parts, of which `rejected` publishes are already known to be bad.
    pub(crate) fn parts(n: usize, rejected: usize) -> (Vec<Self>, Receipt) {
        let (sender, receipt) = Receipt::pending();
        let whole = Arc::new(Whole {
            open: AtomicUsize::new(n),
            rejected: AtomicUsize::new(rejected),
            sender: Mutex::new(Some(sender)),
        });
        ((0..n).map(|_| Self(whole.clone())).collect(), receipt)
    }

    /// This part is safe.
    pub(crate) fn resolve(self, rejected: usize) {
        self.0.rejected.fetch_add(rejected, Ordering::AcqRel);
        if self.0.open.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(sender) = self
                .0
                .sender
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
        {
            sender.resolve(Taken {
                rejected: self.0.rejected.load(Ordering::Acquire),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_part_resolves_it() {
        let (mut parts, receipt) = PartReceipt::parts(2, 1);
        parts.pop().unwrap().resolve(2);
        parts.pop().unwrap().resolve(0);
        assert_eq!(receipt.await, Ok(Taken { rejected: 3 }));
    }

    #[tokio::test]
    async fn a_part_that_is_dropped_loses_it() {
        let (mut parts, receipt) = PartReceipt::parts(2, 0);
        parts.pop().unwrap().resolve(0);
        drop(parts);
        assert!(receipt.await.is_err());
    }
}
