//! The list of the tools, page by page.

use rmcp::{ErrorData, model::Tool};
use serde_json::{Value, json};

use super::{
    TaskSupport, add, ask, consult, crowd, echo, fail, flood, grow, log, noise, note, open, report, research, roots,
    sample, shapes, show, slow, structure, wander, wipe,
};
use crate::{client::Client, lists::Lists, pages, scale::Scale, suite};

/// All that the demo has of its own fits on one; only a crowd needs more.
const PAGE: usize = 1000;

/// The page that `cursor` names, as the agreed revision has it: only one that knows tasks is told which tools can be
/// one.
pub(crate) fn page(cursor: Option<&str>, lists: &Lists, scale: Scale, client: &Client) -> Result<Value, ErrorData> {
    let mut own = all(lists);
    let crowd = size_of_crowd(scale);
    let page = pages::page(cursor, own.len() + crowd, PAGE)?;
    let of_crowd = page.end.saturating_sub(own.len());
    let crowd_from = page.start.saturating_sub(own.len());
    let mut tools: Vec<Tool> = own.drain(page.start.min(own.len())..page.end.min(own.len())).collect();
    tools.extend((crowd_from..of_crowd).map(crowd::describe));
    let mut tools = json!(tools);
    for tool in tools.as_array_mut().into_iter().flatten().filter(|_| client.speaks("2025-11-25")) {
        if let Some(support) = tool["name"].as_str().and_then(TaskSupport::of) {
            tool["execution"] = json!({ "taskSupport": support.name() });
        }
    }
    let mut result = json!({ "tools": tools });
    if let Some(next) = page.next {
        result["nextCursor"] = json!(next);
    }
    Ok(result)
}

/// How many tools are added to those of the demo's own, the one that comes and goes not counted.
pub(super) fn size_of_crowd(scale: Scale) -> usize {
    match scale.tools {
        0 => 0,
        wanted => wanted.min(Scale::MOST).saturating_sub(all(&Lists::default()).len()),
    }
}

fn all(lists: &Lists) -> Vec<Tool> {
    let mut all = vec![
        echo::describe(),
        add::describe(),
        slow::describe(),
        fail::describe(),
        noise::describe(),
        flood::describe(),
        show::describe(),
        log::describe(),
        ask::describe(),
        open::describe(),
        sample::describe(),
        roots::describe(),
        grow::describe(),
        report::describe(),
        structure::describe(),
        wipe::describe(),
        note::describe(),
        wander::describe(),
        consult::describe(),
        research::describe(),
    ];
    all.extend(shapes::all());
    all.extend(suite::tools());
    if lists.are_grown() {
        all.push(grow::describe_bonus());
    }
    all
}
