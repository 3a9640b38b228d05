//! `sonde secret` and what is given for one run.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub enum SecretCommand {
    /// Keep a secret or an input of a server in the keyring; the value is typed unseen, or comes on stdin
    Set(NamedSecret),
    /// List what a server asks for, and what of it is there; never a value
    List {
        /// The server's id; every server that asks for something if none is named
        server: Option<String>,
    },
    /// Forget one; with `secret:` or `input:` also one that the server's entry no longer refers to
    Remove(NamedSecret),
}

#[derive(Args)]
pub struct NamedSecret {
    /// The server's id
    pub server: String,
    /// The name, as in `${secret:NAME}` or `${input:NAME}`; with `secret:` or `input:` where it is both
    pub name: String,
}

/// A value for this run alone.
#[derive(Debug, Clone)]
pub struct GivenInput {
    pub name: String,
    /// None where it is to be typed, or comes on stdin.
    pub value: Option<String>,
}

pub fn given_input(text: &str) -> Result<GivenInput, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    match name.is_empty() {
        true => Err("write NAME=VALUE, or NAME to type it unseen".to_owned()),
        false => Ok(GivenInput { name: name.to_owned(), value }),
    }
}
