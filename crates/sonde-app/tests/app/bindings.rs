//! The committed TypeScript types are the ones the API has now.

use std::path::Path;

#[test]
fn bindings_of_the_window_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/backend/bindings.ts");
    let current = sonde_app::bindings();
    if std::env::var_os("SONDE_WRITE_BINDINGS").is_some() {
        std::fs::write(&path, &current).expect("the bindings can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("the bindings are committed");
    assert!(committed == current, "ui/src/backend/bindings.ts is stale: run `make bindings`");
}
