//! Tells Tauri which commands there are, so that each is checked against the capability of the window that calls it.

use std::error::Error;
use std::path::Path;

const CAPABILITIES: &str = "src-tauri/capabilities";
const PAGE: &str = "ui/dist";

fn main() -> Result<(), Box<dyn Error>> {
    // The page is embedded; an empty folder lets everything but the window be built without Node.
    std::fs::create_dir_all(PAGE)?;
    println!("cargo:rerun-if-changed={PAGE}");
    println!("cargo:rerun-if-changed={CAPABILITIES}");
    let commands: &'static [&'static str] = Vec::leak(granted_commands()?);
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/*.json")
        .app_manifest(tauri_build::AppManifest::new().commands(commands));
    tauri_build::try_build(attributes)?;
    Ok(())
}

/// Every command is granted by name; a test compares the list with the API's own.
fn granted_commands() -> Result<Vec<&'static str>, Box<dyn Error>> {
    let text = std::fs::read_to_string(Path::new(CAPABILITIES).join("main.json"))?;
    let capability: serde_json::Value = serde_json::from_str(&text)?;
    let permissions = capability["permissions"].as_array().ok_or("main.json has no list of permissions")?;
    let names = permissions.iter().filter_map(|permission| permission.as_str()?.strip_prefix("allow-"));
    Ok(names.map(|name| &*name.replace('-', "_").leak()).collect())
}
