//! The derived sensors of a farm.

use std::sync::Arc;

use harit_derived::Definition;
use harit_engine::FarmId;

use super::Hub;

impl Hub {
    /// Has a farm's derived sensors computed by these from now on. Those that are computed as before go on with what they remember.
    /// A farm that is not known is left alone.
    pub fn put_derived(&self, farm: &FarmId, definitions: Vec<Definition>) {
        let Ok(shard) = self.shard_of(farm) else {
            return;
        };
        let definitions = definitions.into_iter().map(Arc::new).collect();
        let farm = farm.clone();
        let tell = move |shard: &mut crate::shard::Shard| shard.put_derived(&farm, definitions);
        self.0.shards[shard].queue.tell(Box::new(tell));
    }
}
