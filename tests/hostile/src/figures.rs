//! What a case measured, and what of it was not as it should be.

use serde::{Deserialize, Serialize};

/// The end of one case.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Which sentences of the oracle, or assertions of the case, do not hold. Empty: survived.
    pub failures: Vec<String>,
    /// What a reader should know beside the figures.
    pub notes: Vec<String>,
    pub figures: Figures,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Memory before the fault, the most above it while the fault lasted, and what was left above it afterwards.
    pub idle_mib: f64,
    pub growth_mib: f64,
    pub left_mib: f64,
    pub health: Latencies,
    pub canary: Latencies,
    /// The longest disconnect, in seconds.
    pub disconnect_s: f64,
    /// Bytes that the servers wrote, line feeds left out, and where they are.
    pub sent: u64,
    pub logged: u64,
    pub dropped: u64,
    pub rows: u64,
    /// How loaded the machine was when the case began and ended, by its one-minute average.
    pub load: [f64; 2],
    pub took_s: f64,
}

/// How long a thing took that was done over and over, in milliseconds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Latencies {
    pub samples: usize,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

impl Latencies {
    /// The 99th of a hundred; of fewer samples the second-longest, because one hiccup of the machine is nobody's fault.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let (count, above) = (samples.len(), (samples.len() / 100).max(1));
        let at = |place: usize| samples.get(place).copied().unwrap_or_default();
        Latencies {
            samples: count,
            p50: at(count / 2),
            p99: at(count.saturating_sub(above + 1)),
            max: at(count.saturating_sub(1)),
        }
    }
}
