//! How much the demo offers.

/// What a person may ask the demo for when it is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scale {
    /// How many tools are listed. There are never fewer than the demo has of its own, nor more than [`Scale::MOST`].
    pub tools: usize,
}

impl Scale {
    /// Ten times as many tools as anybody has seen, and still a list that fits into memory.
    pub const MOST: usize = 100_000;
}
