//! Tools that are not what the person has seen: told in the list and in the log, and held back where they are pinned.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use sonde_client::Client;
use sonde_store::SeenTool;

use super::shelves::{OfferedTool, Shelf};
use super::{Server, now_ms};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::tools::{AcceptRequest, EntryChange, GoneTool, NamedTool, PinRequest, ToolChange};
use crate::app::App;
use crate::explain;

/// Changes of one listing that the log tells one by one.
const MOST_MARKS: usize = 20;
/// Names that are told to be gone.
const MOST_GONE: usize = 1000;

pub(crate) fn digest(definition: &RawValue) -> [u8; 32] {
    Sha256::digest(definition.get().as_bytes()).into()
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was seen of the tools of a server, by name.
#[derive(Default)]
pub(crate) struct Seen(Option<HashMap<String, SeenTool>>);

impl Seen {
    /// How a tool differs from what was seen. Of tools that share a name the first counts.
    pub fn change(&self, offered: &OfferedTool) -> Option<EntryChange> {
        match self.0.as_ref()?.get(&offered.tool.name) {
            None => Some(EntryChange::New),
            Some(seen) => (seen.sha256 != offered.sha256).then_some(EntryChange::Changed),
        }
    }

    pub fn is_pinned(&self, name: &str) -> bool {
        self.0.as_ref().and_then(|seen| seen.get(name)).is_some_and(|seen| seen.pinned)
    }

    /// What was seen and is not there, what is pinned first.
    pub fn gone(&self, shelf: &Shelf<OfferedTool>) -> Vec<GoneTool> {
        let offered: HashSet<&str> = shelf.list.iter().map(|offered| offered.tool.name.as_str()).collect();
        let gone = self.0.iter().flatten().filter(|(name, _)| !offered.contains(name.as_str()));
        let gone = gone.map(|(name, seen)| GoneTool { name: name.clone(), pinned: seen.pinned });
        let mut gone: Vec<GoneTool> = gone.collect();
        gone.sort_by(|one, other| (!one.pinned, &one.name).cmp(&(!other.pinned, &other.name)));
        gone.truncate(MOST_GONE);
        gone
    }
}

impl App {
    pub(crate) async fn seen(&self, server: &Server) -> Result<Seen, ApiError> {
        let seen = self.inner.store.seen_tools(self.owner(&server.spec).as_str()).await;
        let seen = seen.map_err(|error| explain::storage(&error))?;
        Ok(Seen(seen.map(|list| list.into_iter().map(|tool| (tool.name.clone(), tool)).collect())))
    }

    /// A list arrived: what it brings that the person has not seen is marked in the log, once for each connection. The
    /// first list of a server is what they see first.
    pub(super) async fn compare_with_seen(&self, server: &Server, client: &Client) {
        let Some(shelf) = server.tools() else { return };
        if shelf.problem.is_some() {
            return;
        }
        let seen = match self.seen(server).await {
            Ok(seen) => seen,
            Err(error) => {
                tracing::warn!(server = %server.spec.id, title = %error.title, "tools were not compared with those of last time");
                return;
            }
        };
        let Some(known) = &seen.0 else {
            let tools: Vec<SeenTool> = first_of_each(&shelf).map(OfferedTool::as_seen).collect();
            if let Err(error) = self.inner.store.see_tools(self.owner(&server.spec).as_str(), &tools, &[]).await {
                tracing::warn!(server = %server.spec.id, %error, "the tools of a server were not kept");
            }
            return;
        };
        let mut marks = Vec::new();
        for offered in first_of_each(&shelf) {
            let name = &offered.tool.name;
            let Some(was) = known.get(name).filter(|was| was.sha256 != offered.sha256) else { continue };
            if server.standing().told.insert(name.clone(), offered.sha256) != Some(offered.sha256) {
                let (was, now) = (hex(&was.sha256), hex(&offered.sha256));
                marks.push(format!("the tool `{name}` changed · sha256 {was} is now {now}"));
            }
        }
        let more = marks.len().saturating_sub(MOST_MARKS);
        marks.truncate(MOST_MARKS);
        marks.extend((more > 0).then(|| format!("{more} more tools changed")));
        for mark in marks {
            client.mark(mark).await;
        }
    }

    pub(crate) async fn describe_change(&self, request: NamedTool) -> Result<ToolChange, ApiError> {
        let server = self.server(&request.server)?;
        let seen = self.inner.store.seen_tool(self.owner(&server.spec).as_str(), &request.tool).await;
        let seen = seen.map_err(|error| explain::storage(&error))?;
        let shelf = server.tools();
        let offered = shelf.as_ref().and_then(|shelf| shelf.named(&request.tool));
        Ok(ToolChange {
            before_sha256: seen.as_ref().map(|seen| hex(&seen.sha256)),
            seen: seen.as_ref().map(|seen| seen.at_ms),
            before: seen.and_then(|seen| seen.definition),
            after: offered.map(|offered| super::lists::definition(&offered.tool.definition)),
            after_sha256: offered.map(|offered| hex(&offered.sha256)),
        })
    }

    /// The person has seen one tool as it is now, or all of them.
    pub(crate) async fn accept_changes(&self, request: AcceptRequest) -> Result<Nothing, ApiError> {
        let server = self.server(&request.server)?;
        let shelf = looked_at(&server, request.catalog_revision)?;
        let seen = self.seen(&server).await?;
        let meant = |name: &str| request.tool.as_deref().is_none_or(|tool| tool == name);
        let tools = first_of_each(&shelf).filter(|offered| meant(&offered.tool.name) && seen.change(offered).is_some());
        let tools: Vec<SeenTool> = tools.map(OfferedTool::as_seen).collect();
        // Of a list that is not whole nobody knows what is missing.
        let gone = if shelf.problem.is_none() { seen.gone(&shelf) } else { Vec::new() };
        let gone: Vec<String> = gone.into_iter().map(|gone| gone.name).filter(|name| meant(name)).collect();
        let kept = self.inner.store.see_tools(self.owner(&server.spec).as_str(), &tools, &gone).await;
        kept.map_err(|error| explain::storage(&error))?;
        server.standing().catalog_revision += 1;
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    /// Pins a tool as it is now, which the person has then seen; or lets it go.
    pub(crate) async fn pin_tool(&self, request: PinRequest) -> Result<Nothing, ApiError> {
        let server = self.server(&request.server)?;
        let owner = self.owner(&server.spec);
        let shelf = looked_at(&server, request.catalog_revision)?;
        if let Some(offered) = shelf.named(&request.tool).filter(|_| request.pinned) {
            let kept = self.inner.store.see_tools(owner.as_str(), &[offered.as_seen()], &[]).await;
            kept.map_err(|error| explain::storage(&error))?;
        }
        let pinned = self.inner.store.pin_tool(owner.as_str(), &request.tool, request.pinned).await;
        if !pinned.map_err(|error| explain::storage(&error))? && request.pinned {
            let message = format!("server `{}` does not list a tool `{}` now", server.spec.id, request.tool);
            return Err(ApiError::new(ErrorCode::UnknownTool, "No such tool", message));
        }
        server.standing().catalog_revision += 1;
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    /// Refuses a tool that is pinned and is not what it was. Gives the digest of one that is pinned.
    pub(crate) async fn check_pin(&self, id: &str, tool: &str) -> Result<Option<Vec<u8>>, ApiError> {
        let server = self.server(id)?;
        let seen = self.inner.store.seen_tool(self.owner(&server.spec).as_str(), tool).await;
        let seen = seen.map_err(|error| explain::storage(&error))?;
        let Some(seen) = seen.filter(|seen| seen.pinned) else { return Ok(None) };
        let shelf = server.tools();
        let offered = shelf.as_ref().and_then(|shelf| shelf.named(tool));
        if offered.is_some_and(|offered| seen.sha256 == offered.sha256) {
            return Ok(Some(seen.sha256));
        }
        let how = if offered.is_some() { "its definition changed since" } else { "the server does not list it now" };
        let message = format!("tool `{tool}` of server `{}` is pinned, and {how}", server.spec.id);
        let told = ApiError::new(ErrorCode::Pinned, "Not called", message)
            .hint("look at what changed, then mark it as seen or take the pin away")
            .fact("pinned as", hex(&seen.sha256));
        Err(match offered {
            Some(offered) => told.fact("is now", hex(&offered.sha256)),
            None => told,
        })
    }
}

impl OfferedTool {
    fn as_seen(&self) -> SeenTool {
        SeenTool {
            name: self.tool.name.clone(),
            sha256: self.sha256.to_vec(),
            definition: Some(self.tool.definition.get().to_owned()),
            at_ms: now_ms(),
            pinned: false,
        }
    }
}

/// The tools, in the list that the person looked at and in no other.
fn looked_at(server: &Server, revision: u64) -> Result<Arc<Shelf<OfferedTool>>, ApiError> {
    let shelf = server.tools().ok_or_else(|| not_listed(server))?;
    if server.standing().catalog_revision == revision {
        return Ok(shelf);
    }
    let message = format!("server `{}` listed its tools again meanwhile", server.spec.id);
    Err(ApiError::new(ErrorCode::Conflict, "The list changed", message).hint("look at it as it is now, then decide"))
}

/// Of tools that share a name the first is the one that counts.
fn first_of_each(shelf: &Shelf<OfferedTool>) -> impl Iterator<Item = &OfferedTool> {
    let mut first = HashSet::new();
    shelf.list.iter().filter(move |offered| first.insert(offered.tool.name.as_str()))
}

fn not_listed(server: &Server) -> ApiError {
    let message = format!("the tools of server `{}` are not listed now", server.spec.id);
    ApiError::new(ErrorCode::NotReady, "Not listed", message).hint("connect the server first")
}
