//! How the memory of the app grows from cycle to cycle. A figure, not a judgement: an allocator keeps what it likes.

use std::sync::{Mutex, PoisonError};

use crate::kernel;

/// What was seen after each cycle: its number, and the KiB that were in memory.
#[derive(Debug, Default)]
pub struct Memory {
    seen: Mutex<Vec<(f64, f64)>>,
}

impl Memory {
    pub fn look(&self, cycle: u32) {
        // Where it is not told, there is nothing to tell.
        if let Ok(resident) = kernel::resident() {
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).push((f64::from(cycle), resident as f64));
        }
    }

    pub fn told(&self) -> String {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // The first of them warm up caches, pools and arenas.
        let settled = &seen[seen.len() / 4..];
        let (Some(first), Some(last)) = (settled.first(), settled.last()) else {
            return "memory of the app: not told".to_owned();
        };
        format!(
            "memory of the app: {:.1} MiB after {} cycles, {:.1} MiB at the end, slope {:+.2} KiB per cycle",
            first.1 / 1024.0,
            seen.len() / 4,
            last.1 / 1024.0,
            slope(settled)
        )
    }
}

/// Of the straight line that lies nearest to all of them.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (mean_x, mean_y) =
        (points.iter().map(|(x, _)| x).sum::<f64>() / count, points.iter().map(|(_, y)| y).sum::<f64>() / count);
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    if spread > 0.0 { together / spread } else { 0.0 }
}
