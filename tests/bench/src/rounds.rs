//! Contests: whoever is compared runs in the same minute on the same machine, in turns.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Takes the turns of a contest: one to warm up, then `rounds` that count. Whoever begins changes each round, so
/// that nobody always runs in the wake of the same other.
pub async fn hold<C: Contest>(contest: &mut C, rounds: usize) -> Result<Outcome<C::Contender>> {
    let mut samples = Vec::new();
    for round in 0..=rounds {
        let mut order = contest.contenders();
        let first = round % order.len().max(1);
        order.rotate_left(first);
        let mut taken = Vec::new();
        for contender in order {
            taken.push((contender, contest.run(contender).await?));
        }
        if round > 0 {
            samples.push(taken);
        }
    }
    Ok(Outcome { rounds: samples })
}

/// The same work, done by several.
pub trait Contest {
    type Contender: Copy + PartialEq + Debug + Send + Sync + 'static;

    fn contenders(&self) -> Vec<Self::Contender>;

    fn run(&mut self, contender: Self::Contender) -> impl Future<Output = Result<Sample>> + Send;
}

/// What one turn took.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub wall: Duration,
    /// Of this process alone: a server's time is not the client's.
    pub cpu: Duration,
}

/// The turns of all rounds.
#[derive(Debug)]
pub struct Outcome<C> {
    rounds: Vec<Vec<(C, Sample)>>,
}

/// A median with its quartiles.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl<C: Copy + PartialEq> Outcome<C> {
    /// How many times longer `one` took than `other`, round by round.
    pub fn ratio(&self, one: C, other: C) -> Spread {
        let other = self.seconds(other);
        let one = self.seconds(one);
        Spread::of(one.iter().zip(other).map(|(one, other)| one / other).collect())
    }

    /// Seconds by the wall clock.
    pub fn wall(&self, contender: C) -> Spread {
        Spread::of(self.seconds(contender))
    }

    /// Seconds of our own CPU time.
    pub fn cpu(&self, contender: C) -> Spread {
        Spread::of(self.samples(contender).map(|sample| sample.cpu.as_secs_f64()).collect())
    }

    fn seconds(&self, contender: C) -> Vec<f64> {
        self.samples(contender).map(|sample| sample.wall.as_secs_f64()).collect()
    }

    fn samples(&self, contender: C) -> impl Iterator<Item = &Sample> {
        self.rounds.iter().flatten().filter(move |(who, _)| *who == contender).map(|(_, sample)| sample)
    }
}

impl Spread {
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Spread { low: quantile(&values, 0.25), median: quantile(&values, 0.5), high: quantile(&values, 0.75) }
    }

    /// A value that was taken once.
    pub fn single(value: f64) -> Self {
        Spread { low: value, median: value, high: value }
    }

    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        let (one, other) = (change(self.low), change(self.high));
        Spread { low: one.min(other), median: change(self.median), high: one.max(other) }
    }
}

/// Of sorted values.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len().saturating_sub(1)) as f64;
    let at = |place: f64| sorted.get(place as usize).copied().unwrap_or(f64::NAN);
    let (below, above) = (at(place.floor()), at(place.ceil()));
    below + (above - below) * place.fract()
}

/// Both clocks, running.
#[derive(Debug)]
pub struct Stopwatch {
    began: Instant,
    cpu: Duration,
}

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch { cpu: cpu_time(), began: Instant::now() }
    }

    pub fn wall(&self) -> Duration {
        self.began.elapsed()
    }

    pub fn sample(&self) -> Sample {
        self.ended_at(self.wall())
    }

    /// A turn whose work went on after the wall clock was read: recording, for one, is CPU time that counts.
    pub fn ended_at(&self, wall: Duration) -> Sample {
        Sample { wall, cpu: cpu_time().saturating_sub(self.cpu) }
    }
}

fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
