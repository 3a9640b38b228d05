//! How things look: text for a person, JSON for a program.

pub mod capabilities;
pub mod content;
pub mod errors;
pub mod json;
pub mod lists;
pub mod rows;
pub mod table;
