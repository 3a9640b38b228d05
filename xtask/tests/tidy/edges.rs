//! Which crate may use which. The table is the architecture; a new edge is a decision, made here.

use toml::{Table, Value};

use crate::tree::{self, File, report};

/// Each crate and the crates of ours it may use, in dependencies of every kind.
const EDGES: &[(&str, &[&str])] = &[
    ("sonde-protocol", &[]),
    ("sonde-transport", &["sonde-protocol"]),
    ("sonde-client", &["sonde-protocol", "sonde-transport"]),
    ("sonde-registry", &[]),
    ("sonde-store", &["sonde-protocol"]),
    ("sonde-provider", &["sonde-protocol", "sonde-transport"]),
    (
        "sonde-app",
        &["sonde-protocol", "sonde-transport", "sonde-client", "sonde-registry", "sonde-store", "sonde-provider"],
    ),
    ("sonde-demo", &[]),
    ("sonde-cli", &["sonde-app", "sonde-demo"]),
    ("sonde-desktop", &["sonde-app", "sonde-demo"]),
    ("xtask", &[]),
];

#[test]
fn crates_use_only_the_crates_below_them() {
    let mut violations = Vec::new();
    for manifest in manifests() {
        let table = parse(&manifest);
        let Some(name) = package_name(&table) else { continue };
        if is_free(&manifest, name) {
            continue;
        }
        let Some((_, allowed)) = EDGES.iter().find(|(from, _)| *from == name) else {
            violations.push(format!("{}: `{name}` has no row in the table of edges", manifest.path));
            continue;
        };
        for used in dependencies(&table).filter(|used| used.starts_with("sonde-") && !allowed.contains(used)) {
            violations.push(format!("{}: `{name}` must not use `{used}`", manifest.at(line_of(&manifest, used))));
        }
    }
    report(
        &violations,
        "move the code to the crate that owns it, or argue the new edge in ARCHITECTURE.md and in EDGES",
    );
}

#[test]
fn the_protocol_depends_on_nothing_asynchronous() {
    let Some(manifest) = tree::read("crates/sonde-protocol/Cargo.toml") else { return };
    let table = parse(&manifest);
    let asynchronous =
        |used: &&str| used.starts_with("tokio") || used.starts_with("futures") || used.starts_with("async");
    let violations: Vec<_> = dependencies(&table)
        .filter(asynchronous)
        .map(|used| format!("{}: `{used}`", manifest.at(line_of(&manifest, used))))
        .collect();
    report(&violations, "the protocol is a pure function of bytes and times; wait in sonde-transport or sonde-client");
}

#[test]
fn one_crate_links_each_outside_world() {
    let owners = [
        ("sqlx", "sonde-store"),
        ("rusqlite", "sonde-store"),
        ("reqwest", "sonde-transport"),
        ("tauri", "sonde-desktop"),
    ];
    let mut violations = Vec::new();
    for manifest in manifests() {
        let table = parse(&manifest);
        let Some(name) = package_name(&table) else { continue };
        for used in dependencies(&table) {
            if let Some((_, owner)) = owners.iter().find(|(library, _)| *library == used)
                && *owner != name
                && !is_free(&manifest, name)
            {
                violations.push(format!("{}: only `{owner}` may use `{used}`", manifest.at(line_of(&manifest, used))));
            }
        }
    }
    report(&violations, "ask the owner for what you need");
}

/// Tests and benches stand outside the layers: they look at all of them.
fn is_free(manifest: &File, name: &str) -> bool {
    manifest.under("tests/") || name == "sonde-bench"
}

fn manifests() -> impl Iterator<Item = File> {
    tree::files().into_iter().filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"))
}

fn parse(manifest: &File) -> Table {
    manifest.text.parse().unwrap_or_else(|error| panic!("{} is not TOML: {error}", manifest.path))
}

fn package_name(table: &Table) -> Option<&str> {
    table.get("package")?.get("name")?.as_str()
}

/// The names under every table of dependencies, those of `[target.…]` included. The names of packages, not
/// the names they are given: a rename must not hide an edge.
fn dependencies(table: &Table) -> impl Iterator<Item = &str> {
    let targets = table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    std::iter::once(table)
        .chain(targets.filter_map(Value::as_table))
        .flat_map(|table| ["dependencies", "dev-dependencies", "build-dependencies"].map(|kind| table.get(kind)))
        .filter_map(|kind| kind.and_then(Value::as_table))
        .flat_map(Table::iter)
        .map(|(name, value)| value.get("package").and_then(Value::as_str).unwrap_or(name))
}

/// Where the dependency stands, not where the workspace names its version.
fn line_of(manifest: &File, used: &str) -> usize {
    let lines: Vec<_> = manifest.text.lines().collect();
    lines.iter().rposition(|line| line.starts_with(used)).map_or(1, |index| index + 1)
}
