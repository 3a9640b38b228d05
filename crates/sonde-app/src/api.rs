//! The types that cross a front door, and nothing else. `derive(Serialize)` is a promise made only here.

pub mod book;
pub mod calls;
pub mod catalog;
pub mod changes;
pub mod configuration;
pub mod content;
pub mod doctor;
pub mod error;
pub mod http;
pub mod import;
pub mod log;
pub mod posture;
pub mod questions;
pub mod repeats;
pub mod search;
pub mod secrets;
pub mod servers;
pub mod tasks;
pub mod tools;
