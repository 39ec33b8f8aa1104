//! How much goes wrong: drawn for each seed, most kinds of fault absent from most seeds, so that each is seen with and
//! without the others.

use harit_model::generate::Dice;

/// Chances in thousandths, and how often a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rates {
    /// A publish of a controller does not arrive, and is sent again later.
    pub lose_up: usize,
    /// A message to a controller does not arrive.
    pub lose_down: usize,
    /// A message arrives twice.
    pub duplicate: usize,
    /// The transport's acknowledgement of a publish does not arrive.
    pub lose_puback: usize,
    /// A message overtakes those before it.
    pub reorder: usize,
    /// A message to a controller comes after seconds.
    pub late_down: usize,
    /// Milliseconds that a message takes at most.
    pub delay_ms: i64,
    /// Milliseconds that the server waits at most for more before a turn.
    pub batch_ms: i64,
    /// How often a controller is cut off.
    pub partitions: usize,
    /// How often a controller restarts.
    pub reboots: usize,
    /// How often the broker loses what is under way to a controller.
    pub queue_losses: usize,
    /// How often the server crashes.
    pub crashes: usize,
    /// Of the crashes, how many are a server that stands still while another one takes over.
    pub takeovers: usize,
    /// Of the crashes, how many tear or lose the batch that was being written.
    pub torn: usize,
    /// How often the server's clock is set.
    pub clock_steps: usize,
    /// How often something is wrong with a sensor.
    pub sensor_faults: usize,
    /// How often something is wrong with a device: lost acks, somebody at its panel.
    pub device_faults: usize,
    /// Another controller answers for what a controller was asked.
    pub foreign_acks: usize,
    /// How often people do something.
    pub wishes: usize,
    /// How often somebody switches a device at its machine.
    pub hands: usize,
    /// What the journal says of an append does not arrive.
    pub unanswered: usize,
}

impl Rates {
    /// What the seed stands for.
    #[must_use]
    pub fn draw(dice: &mut Dice) -> Self {
        let mut some = |of: &[usize]| if dice.chance(45) { 0 } else { *dice.pick(of) };
        Self {
            lose_up: some(&[2, 10, 50]),
            lose_down: some(&[5, 50, 200]),
            duplicate: some(&[5, 30, 200]),
            lose_puback: some(&[5, 30, 200]),
            reorder: some(&[5, 50]),
            late_down: some(&[5, 50, 200]),
            delay_ms: 5 + i64::try_from(some(&[20, 300, 2_000])).unwrap_or(0),
            batch_ms: i64::try_from(some(&[1, 50, 400])).unwrap_or(0),
            partitions: some(&[2, 8, 40]),
            reboots: some(&[1, 6, 30]),
            queue_losses: some(&[2, 10]),
            crashes: some(&[1, 6, 40]),
            takeovers: 0,
            torn: some(&[300, 700]),
            clock_steps: some(&[1, 4]),
            sensor_faults: some(&[3, 15]),
            device_faults: some(&[3, 15]),
            foreign_acks: some(&[5, 30]),
            wishes: some(&[10, 60, 200]),
            hands: some(&[3, 15, 60]),
            unanswered: some(&[2, 20, 200]),
        }
    }

    /// Nothing goes wrong, and people do a few things.
    #[must_use]
    pub fn calm() -> Self {
        Self {
            delay_ms: 20,
            wishes: 40,
            ..Self::default()
        }
    }

    /// All faults are over: nothing happens but what the farm does by itself.
    #[must_use]
    pub fn over() -> Self {
        Self {
            delay_ms: 20,
            ..Self::default()
        }
    }
}
