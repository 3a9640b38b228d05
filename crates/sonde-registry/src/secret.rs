//! What is a secret, and how one leaves a definition.

mod looks;
mod take;

use zeroize::Zeroizing;

pub use looks::{is_secret_header, looks_secret, split_scheme};
pub use take::{
    SecretWord, TakenSecret, free_name, mask_secrets, masked_words, secret_words, take_new_secrets, take_secrets,
};

/// A value that nobody may read: it can't be written down, and says nothing of itself.
///
/// ```compile_fail
/// serde_json::to_string(&sonde_registry::Secret::new("x".to_owned()));
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(value: String) -> Self {
        Secret(Zeroizing::new(value))
    }

    /// The value itself, for whoever hands it on to a server or to the keyring.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[redacted]")
    }
}

impl std::fmt::Display for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[redacted]")
    }
}

/// A name that can stand in a reference.
pub fn reference_name(name: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-.".contains(character);
    name.chars().map(|character| if plain(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_says_nothing_of_itself() {
        let secret = Secret::new("hunter2".to_owned());
        assert_eq!(format!("{secret:?} {secret}"), "[redacted] [redacted]");
        let taken = TakenSecret { name: "A".into(), field: "env.A".into(), value: secret };
        assert!(!format!("{taken:?}").contains("hunter2"));
    }
}
