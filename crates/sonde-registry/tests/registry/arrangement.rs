//! An order is for the eye alone.

use sonde_registry::{Arrangements, ServerGroup};

use crate::write;

#[test]
fn an_arrangement_is_read_as_it_was_written_and_a_broken_one_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arrangement.json");
    let arrangements = Arrangements::at(path.clone());
    assert!(arrangements.groups().unwrap().is_empty(), "nothing was arranged yet");
    let group = |name: &str, servers: &[&str]| ServerGroup {
        name: name.to_owned(),
        servers: servers.iter().map(|server| (*server).to_owned()).collect(),
    };
    let groups = vec![group("work", &["b", "a%20c"]), group("", &["z"])];
    arrangements.set(groups.clone()).unwrap();
    assert_eq!(Arrangements::at(path.clone()).groups().unwrap(), groups, "by another program, too");
    for text in ["", "[]", r#"{"groups":1}"#] {
        write(&path, text);
        assert!(arrangements.groups().unwrap().is_empty(), "`{text}` is no order, and no error");
    }
    arrangements.set(groups.clone()).unwrap();
    assert_eq!(arrangements.groups().unwrap(), groups, "and can be made anew");
}
