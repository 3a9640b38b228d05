//! The report as it is written, step by step.

use std::time::Duration;

use sonde_registry::ServerSpec;

use crate::api::doctor::{Examination, PathEntry, Step, StepOutcome, VariableFact, Verdict};
use crate::api::error::{ApiError, ErrorCode, Fact};

pub(super) struct Report {
    server: String,
    steps: Vec<Step>,
    path: Vec<PathEntry>,
    environment: Vec<VariableFact>,
    stderr_tail: Vec<String>,
    /// The first that was found.
    error: Option<ApiError>,
    /// What to do about something odd, the first that was found.
    advice: Option<String>,
    /// What a server that is well has.
    praise: Option<String>,
}

impl Report {
    pub fn new(spec: &ServerSpec) -> Self {
        Report {
            server: spec.id.to_string(),
            steps: Vec::new(),
            path: Vec::new(),
            environment: Vec::new(),
            stderr_tail: Vec::new(),
            error: None,
            advice: None,
            praise: None,
        }
    }

    pub fn well(&mut self, name: &str, found: impl Into<String>) {
        self.step(name, StepOutcome::Well, found.into(), None);
    }

    pub fn timed(&mut self, name: &str, took: Duration, found: impl Into<String>) {
        self.step(name, StepOutcome::Well, found.into(), Some(took));
    }

    /// It works, but `advice` would be better.
    pub fn odd(&mut self, name: &str, took: Option<Duration>, found: impl Into<String>, advice: &str) {
        self.step(name, StepOutcome::Odd, found.into(), took);
        self.advice.get_or_insert_with(|| advice.to_owned());
    }

    /// What has no error of its own: another step has it.
    pub fn ill(&mut self, name: &str, found: impl Into<String>) {
        self.step(name, StepOutcome::Ill, found.into(), None);
    }

    pub fn fail(&mut self, name: &str, error: ApiError) {
        self.step(name, StepOutcome::Ill, error.message.clone(), None);
        self.error.get_or_insert(error);
    }

    /// What somebody has to do before it can be tried. That nobody has approved it yet is no illness.
    pub fn refuse(&mut self, name: &str, error: ApiError) {
        let outcome = match error.code {
            ErrorCode::ApprovalNeeded => StepOutcome::Odd,
            _ => StepOutcome::Ill,
        };
        self.step(name, outcome, error.message.clone(), None);
        self.error.get_or_insert(error);
    }

    pub fn skip(&mut self, name: &str, found: &str) {
        self.step(name, StepOutcome::Skipped, found.to_owned(), None);
    }

    pub fn skip_all(&mut self, names: &[&str], found: &str) {
        names.iter().for_each(|name| self.skip(name, found));
    }

    /// Adds to the newest step.
    pub fn fact(&mut self, name: &str, value: impl Into<String>) {
        if let Some(step) = self.steps.last_mut() {
            step.facts.push(Fact { name: name.to_owned(), value: value.into() });
        }
    }

    pub fn take_path(&mut self, path: Vec<PathEntry>) {
        self.path = path;
    }

    pub fn take_environment(&mut self, environment: Vec<VariableFact>) {
        self.environment = environment;
    }

    pub fn take_stderr(&mut self, lines: Vec<String>) {
        self.stderr_tail = lines;
    }

    pub fn praise(&mut self, words: String) {
        self.praise = Some(words);
    }

    pub fn has_failed(&self) -> bool {
        self.steps.iter().any(|step| step.outcome == StepOutcome::Ill)
    }

    pub fn finish(self) -> Examination {
        let has = |outcome| self.steps.iter().any(|step| step.outcome == outcome);
        let verdict = match (has(StepOutcome::Ill), has(StepOutcome::Odd)) {
            (true, _) => Verdict::Ill,
            (false, true) => Verdict::Odd,
            (false, false) => Verdict::Well,
        };
        let first = |outcome| self.steps.iter().find(|step| step.outcome == outcome).map(|step| step.found.clone());
        let server = &self.server;
        let summary = match (&self.error, &self.praise) {
            (Some(error), _) => error.message.clone(),
            (None, _) if verdict == Verdict::Ill => first(StepOutcome::Ill).unwrap_or_default(),
            (None, Some(praise)) => praise.clone(),
            (None, None) if verdict == Verdict::Odd => first(StepOutcome::Odd).unwrap_or_default(),
            (None, None) => format!("server `{server}` is well"),
        };
        let fix = self.error.as_ref().and_then(|error| error.hint.clone()).or(self.advice);
        Examination {
            server: self.server,
            verdict,
            summary,
            fix,
            error: self.error,
            steps: self.steps,
            path: self.path,
            environment: self.environment,
            stderr_tail: self.stderr_tail,
        }
    }

    fn step(&mut self, name: &str, outcome: StepOutcome, found: String, took: Option<Duration>) {
        let ms = took.map(|took| took.as_secs_f64() * 1e3);
        self.steps.push(Step { name: name.to_owned(), outcome, found, ms, facts: Vec::new() });
    }
}
