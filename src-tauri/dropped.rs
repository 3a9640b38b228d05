//! Files that are dropped on the window. They are read here: what WebKitGTK gives the page of them is an address.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sonde_app::App;
use tauri::{DragDropEvent, WebviewWindow, WindowEvent};

/// As much as is read of any file of another client.
const LARGEST: u64 = 64 << 20;
/// A longer text goes to the core and not through the page, which would stand still meanwhile.
const LONGEST_TOLD: usize = 128 << 10;
/// A person who drops a whole folder's files by mistake does not wait for all of them.
const MOST: usize = 8;

/// Tells the page when files are held over it, and what is in those that were let go. The page can't ask for any.
pub(crate) fn watch(window: &WebviewWindow, core: App) {
    let page = window.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::DragDrop(DragDropEvent::Enter { .. }) => tell(&page, &json!({ "phase": "over" })),
        WindowEvent::DragDrop(DragDropEvent::Leave) => tell(&page, &json!({ "phase": "left" })),
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
            let (page, paths, core) = (page.clone(), paths.clone(), core.clone());
            let keep = move |text| core.hand_over_text(text).map_err(|error| error.message);
            tauri::async_runtime::spawn_blocking(move || tell(&page, &contents(&paths, &keep)));
        }
        _ => {}
    });
}

fn tell(page: &WebviewWindow, detail: &Value) {
    // What stands in a JSON text is an expression of the same value.
    let script = format!("window.dispatchEvent(new CustomEvent('sonde-drag', {{ detail: {detail} }}))");
    if let Err(error) = page.eval(script) {
        tracing::warn!(%error, "the page could not be told of dropped files");
    }
}

/// Keeps a text and says how it is named, or why it is not kept.
type Keep<'a> = &'a dyn Fn(String) -> Result<String, String>;

fn contents(paths: &[PathBuf], keep: Keep) -> Value {
    let files: Vec<Value> = paths.iter().take(MOST).map(|path| content(path, keep)).collect();
    json!({ "phase": "dropped", "files": files, "left_out": paths.len().saturating_sub(MOST) })
}

fn content(path: &Path, keep: Keep) -> Value {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let told = text(path).and_then(|text| match text.len() > LONGEST_TOLD {
        true => keep(text).map(|handed| json!({ "name": name, "text": "", "handed": handed, "problem": null })),
        false => Ok(json!({ "name": name, "text": text, "problem": null })),
    });
    told.unwrap_or_else(|problem| json!({ "name": name, "text": null, "problem": problem }))
}

/// Only of a regular file: a pipe or a device would be waited for.
fn text(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err("it is larger than 64 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_small_text_file_is_named_with_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("good.json"), "{\"a\":\"</script>\u{2028}\"}").expect("written");
        File::create(at("large.json")).and_then(|file| file.set_len(LARGEST + 1)).expect("written");
        std::fs::write(at("latin.json"), b"\xe9").expect("written");
        let paths = [at("good.json"), at("large.json"), at("latin.json"), folder.path().to_owned()];
        let told = contents(&paths, &|_| Err("nothing is kept".to_owned()));
        assert_eq!(told["files"][0]["text"], "{\"a\":\"</script>\u{2028}\"}", "a text comes as it is");
        for (place, why) in [(1, "64 MiB"), (2, "UTF-8"), (3, "not a file")] {
            let file = &told["files"][place];
            assert!(file["text"].is_null(), "nothing of it reaches the page: {file}");
            assert!(file["problem"].as_str().is_some_and(|problem| problem.contains(why)), "{file}");
        }
    }

    #[test]
    fn a_long_text_goes_to_the_core_and_not_through_the_page() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long.json");
        std::fs::write(&path, " ".repeat(LONGEST_TOLD + 1)).expect("written");
        let kept = std::cell::Cell::new(0);
        let keep = |text: String| {
            kept.set(text.len());
            Ok("7".to_owned())
        };
        let told = contents(&[path], &keep);
        assert_eq!(told["files"][0], json!({ "name": "long.json", "text": "", "handed": "7", "problem": null }));
        assert_eq!(kept.get(), LONGEST_TOLD + 1, "all of it");
    }

    #[test]
    fn of_many_files_the_first_few_are_read_and_the_others_counted() {
        let paths: Vec<PathBuf> = (0..11).map(|number| PathBuf::from(format!("/nowhere/{number}"))).collect();
        let told = contents(&paths, &|_| Err("nothing is kept".to_owned()));
        assert_eq!(told["files"].as_array().map(Vec::len), Some(MOST), "the first few");
        assert_eq!(told["left_out"], 3, "the page says how many it did not get");
    }
}
