use std::path::Path;

use super::*;
use crate::spec::{Layer, Origin, ServerId};

fn server(name: &str) -> Owner {
    let origin = Origin { layer: Layer::Global, file: None };
    Owner::of(&ServerId::from_name(name).unwrap(), &origin, Path::new("/"))
}

/// One whose keyring is known not to be there, so that no test touches the one of whoever runs it.
fn without_keyring() -> Vault {
    let vault = Vault::default();
    *lock(&vault.inner.standing) = Standing::Memory(Unusable::Absent("this is a test".to_owned()));
    vault
}

#[test]
fn without_a_keyring_a_secret_is_kept_in_memory_and_that_is_told() {
    let vault = without_keyring();
    let kept = vault.set(&server("shop"), Wanted::Secret("TOKEN"), Secret::new("abc".to_owned()));
    assert!(matches!(kept, Kept::Memory(Unusable::Absent(_))), "{kept:?}");
    assert_eq!(vault.get(&server("shop"), Wanted::Secret("TOKEN")).unwrap().expose(), "abc");
    assert!(vault.get(&server("shop"), Wanted::Input("TOKEN")).is_none(), "an input is another thing");
    assert!(vault.get(&server("other"), Wanted::Secret("TOKEN")).is_none(), "it is another server's");
    let Standing::Memory(why) = vault.standing() else { panic!("there is no keyring") };
    assert!(why.notice().contains("in memory until Sonde ends"), "{}", why.notice());
}

#[test]
fn a_removed_server_leaves_nothing() {
    let vault = without_keyring();
    for (name, key) in [("shop", "A"), ("shop", "B"), ("other", "A")] {
        vault.set(&server(name), Wanted::Secret(key), Secret::new("abc".to_owned()));
    }
    vault.set_for_now(&server("shop"), Wanted::Input("c"), Secret::new("abc".to_owned()));
    vault.remove_server(&server("shop"), &[]).unwrap();
    for wanted in [Wanted::Secret("A"), Wanted::Secret("B"), Wanted::Input("c")] {
        assert!(vault.get(&server("shop"), wanted).is_none(), "{wanted:?} is gone");
    }
    assert!(vault.get(&server("other"), Wanted::Secret("A")).is_some(), "the other one keeps its own");
}

#[test]
fn another_name_keeps_what_was_given() {
    let vault = without_keyring();
    vault.set(&server("old"), Wanted::Secret("A"), Secret::new("abc".to_owned()));
    vault.copy(&server("old"), &server("new"), &[Wanted::Secret("A"), Wanted::Secret("B")]);
    vault.remove(&server("old"), Wanted::Secret("A")).unwrap();
    assert_eq!(vault.get(&server("new"), Wanted::Secret("A")).unwrap().expose(), "abc");
    assert!(vault.get(&server("old"), Wanted::Secret("A")).is_none());
}

#[test]
fn a_vault_shows_no_secret() {
    let vault = without_keyring();
    vault.set(&server("shop"), Wanted::Secret("A"), Secret::new("hunter2".to_owned()));
    assert!(!format!("{vault:?}").contains("hunter2"));
}

#[test]
fn a_keyring_that_did_not_answer_is_not_waited_for_again_at_once() {
    let vault = Vault::default();
    *lock(&vault.inner.standing) = Standing::Memory(Unusable::Slow);
    *lock(&vault.inner.failed) = Some(Instant::now());
    for number in 0..50 {
        let name = format!("A{number}");
        let kept = vault.set(&server("shop"), Wanted::Secret(&name), Secret::new("abc".to_owned()));
        assert_eq!(kept, Kept::Memory(Unusable::Slow));
    }
    assert!(lock(&vault.inner.questions).is_none(), "nobody asked the keyring");
    assert_eq!(vault.lasts(), Err(Unusable::Slow));
    let refused = vault.set_for_good(&server("shop"), Wanted::Secret("B"), Secret::new("abc".to_owned()));
    assert_eq!(refused, Err(Unusable::Slow));
    assert!(vault.get(&server("shop"), Wanted::Secret("B")).is_none(), "what is not kept for good is not kept at all");
}
