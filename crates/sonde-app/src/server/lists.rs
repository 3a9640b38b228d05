//! The lists of a server as a front door sees them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::value::RawValue;
use sonde_client::{Catalog, Gate, Listing, Prompt, Resource, ResourceTemplate};
use sonde_protocol::UriTemplate;

use super::seen::Seen;
use super::shelves::{OfferedTool, Shelf, Shelves};
use crate::api::catalog::{
    CatalogName, EntryRequest, ExpandRequest, Expanded, PromptArgument, PromptDetail, PromptList, PromptSummary,
    RefreshRequest, ResourceDetail, ResourceList, ResourceSummary, TemplateDetail, TemplateList, TemplateSummary,
};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::ServerRequest;
use crate::api::tools::{ToolDetail, ToolHints, ToolList, ToolRequest, ToolSummary};
use crate::app::App;
use crate::content;
use crate::explain;
use crate::text::clip;

/// Characters of a text that cross the door; the log has the whole of it.
const LARGEST_TEXT: usize = 256 << 10;
const LONGEST_NAME: usize = 500;
const LONGEST_ADDRESS: usize = 4000;
/// Characters of a description that a list shows.
const DESCRIPTION: usize = 300;
/// Characters of all icons of a list.
const ICON_ROOM: usize = 512 << 10;
/// Arguments or variables of one entry that a list shows.
const MOST_PARTS: usize = 1000;

impl App {
    /// Asks the server for a whole list, all pages, entries as they were sent.
    pub async fn list(&self, id: &str, catalog: Catalog, gate: Gate) -> Result<Listing, ApiError> {
        let server = self.server(id)?;
        let client = server.client().inspect_err(|_| self.revive(&server))?;
        let listing = client.list_through(catalog, gate).await.map_err(|error| explain::call(&server.spec, &error))?;
        match listing.problem {
            // A list of which not even the first page came is none.
            Some(problem) if listing.entries.is_empty() && listing.pages <= 1 => {
                let message = format!("server `{}`: {problem}", server.spec.id);
                Err(ApiError::new(ErrorCode::ServerError, "Nothing was listed", message)
                    .hint("the log has the answer as it was sent"))
            }
            problem => Ok(Listing { problem, ..listing }),
        }
    }

    /// Asks for a list anew, and comes back when it is there.
    pub(crate) async fn refresh_catalog(&self, request: RefreshRequest) -> Result<Nothing, ApiError> {
        let server = self.server(&request.server)?;
        let client = server.client().inspect_err(|_| self.revive(&server))?;
        let catalog = match request.catalog {
            CatalogName::Tools => Catalog::Tools,
            CatalogName::Resources => Catalog::Resources,
            CatalogName::Templates => Catalog::Templates,
            CatalogName::Prompts => Catalog::Prompts,
        };
        // A person who asks for it gets it, whatever the server declared.
        server.list(self, &client, catalog, Gate::Open).await;
        Ok(Nothing {})
    }

    pub(crate) async fn list_tools(&self, request: ServerRequest) -> Result<ToolList, ApiError> {
        let server = self.server(&request.server)?;
        // The revision first: a list that comes meanwhile is another one.
        let catalog_revision = server.standing().catalog_revision;
        let Some(shelf) = server.tools() else {
            return Ok(ToolList {
                tools: Vec::new(),
                gone: Vec::new(),
                catalog_revision,
                complete: false,
                problem: None,
            });
        };
        let seen = self.seen(&server).await?;
        let mut room = ICON_ROOM;
        let mut first = HashSet::new();
        let tools = (0..).zip(&shelf.list).map(|(index, offered)| {
            let mut told = tool(index, offered, &seen);
            // Of several of one name the first is what was seen.
            let is_first = first.insert(offered.tool.name.as_str());
            told.change = told.change.filter(|_| is_first);
            // Thousands of pictures would be most of the list.
            room = room.saturating_sub(told.icon.as_ref().map_or(0, |icon| icon.base64.len()));
            told.icon = told.icon.filter(|_| room > 0);
            told
        });
        let tools = tools.collect();
        let gone = if shelf.problem.is_none() { seen.gone(&shelf) } else { Vec::new() };
        Ok(ToolList { tools, gone, catalog_revision, complete: true, problem: shelf.problem.clone() })
    }

    pub(crate) async fn describe_tool(&self, request: ToolRequest) -> Result<ToolDetail, ApiError> {
        let server = self.server(&request.server)?;
        let shelf = server.tools();
        let offered = shelf.as_ref().and_then(|shelf| shelf.list.get(request.index as usize)).ok_or_else(|| {
            let message = format!("server `{}` has no tool number {}", request.server, request.index);
            ApiError::new(ErrorCode::UnknownTool, "No such tool", message)
        })?;
        let json = |raw: &Option<Box<RawValue>>| raw.as_ref().map(|raw| clip(raw.get(), LARGEST_TEXT));
        Ok(ToolDetail {
            summary: tool(request.index, offered, &self.seen(&server).await?),
            name: clip(&offered.tool.name, LARGEST_TEXT),
            description: whole(&offered.tool.description),
            input_schema: json(&offered.tool.input_schema),
            output_schema: json(&offered.tool.output_schema),
            definition: definition(&offered.tool.definition),
            icons: offered.tool.icons.as_deref().and_then(|icons| content::icon(icons).1),
        })
    }

    pub(crate) async fn list_resources(&self, request: ServerRequest) -> Result<ResourceList, ApiError> {
        let shelf = self.shelf(&request.server, |shelves| &shelves.resources)?;
        let (list, complete, problem) = listed(shelf.as_deref(), resource);
        Ok(ResourceList { resources: list, complete, problem })
    }

    pub(crate) async fn describe_resource(&self, request: EntryRequest) -> Result<ResourceDetail, ApiError> {
        let shelf = self.shelf(&request.server, |shelves| &shelves.resources)?;
        let entry = entry(&shelf, &request, "resource")?;
        Ok(ResourceDetail {
            summary: resource((request.index, entry)),
            uri: clip(&entry.uri, LARGEST_TEXT),
            description: whole(&entry.description),
            definition: clip(entry.definition.get(), LARGEST_TEXT),
        })
    }

    pub(crate) async fn list_templates(&self, request: ServerRequest) -> Result<TemplateList, ApiError> {
        let shelf = self.shelf(&request.server, |shelves| &shelves.templates)?;
        let (list, complete, problem) = listed(shelf.as_deref(), template);
        Ok(TemplateList { templates: list, complete, problem })
    }

    pub(crate) async fn describe_template(&self, request: EntryRequest) -> Result<TemplateDetail, ApiError> {
        let shelf = self.shelf(&request.server, |shelves| &shelves.templates)?;
        let entry = entry(&shelf, &request, "template")?;
        Ok(TemplateDetail {
            summary: template((request.index, entry)),
            description: whole(&entry.description),
            definition: clip(entry.definition.get(), LARGEST_TEXT),
        })
    }

    pub(crate) async fn list_prompts(&self, request: ServerRequest) -> Result<PromptList, ApiError> {
        let shelf = self.shelf(&request.server, |shelves| &shelves.prompts)?;
        let (list, complete, problem) = listed(shelf.as_deref(), prompt);
        Ok(PromptList { prompts: list, complete, problem })
    }

    pub(crate) async fn describe_prompt(&self, request: EntryRequest) -> Result<PromptDetail, ApiError> {
        let shelf = self.shelf(&request.server, |shelves| &shelves.prompts)?;
        let entry = entry(&shelf, &request, "prompt")?;
        Ok(PromptDetail {
            summary: prompt((request.index, entry)),
            name: clip(&entry.name, LARGEST_TEXT),
            description: whole(&entry.description),
            definition: clip(entry.definition.get(), LARGEST_TEXT),
        })
    }

    /// The address that a template and the values of its variables give.
    pub fn expand(&self, template: &str, values: &BTreeMap<String, String>) -> Result<String, ApiError> {
        let uri = UriTemplate::parse(template).and_then(|template| template.expand(values));
        uri.map_err(|error| {
            let hint = "the rules are those of RFC 6570, as in `file:///{path}`";
            ApiError::new(ErrorCode::InvalidRequest, "Invalid template", error.to_string()).hint(hint)
        })
    }

    pub(crate) async fn expand_template(&self, request: ExpandRequest) -> Result<Expanded, ApiError> {
        Ok(Expanded { uri: self.expand(&request.template, &request.values)? })
    }

    fn shelf<T>(
        &self,
        server: &str,
        pick: impl Fn(&Shelves) -> &Option<Arc<Shelf<T>>>,
    ) -> Result<Option<Arc<Shelf<T>>>, ApiError> {
        let server = self.server(server)?;
        let standing = server.standing();
        Ok(standing.live.as_ref().and_then(|live| pick(&live.shelves).clone()))
    }
}

/// A shelf as a list of summaries, whether it is there at all, and what is wrong with it.
fn listed<T, S>(shelf: Option<&Shelf<T>>, summary: fn((u32, &T)) -> S) -> (Vec<S>, bool, Option<String>) {
    let list = shelf.map(|shelf| (0..).zip(&shelf.list).map(summary).collect()).unwrap_or_default();
    (list, shelf.is_some(), shelf.and_then(|shelf| shelf.problem.clone()))
}

fn entry<'a, T>(shelf: &'a Option<Arc<Shelf<T>>>, request: &EntryRequest, what: &str) -> Result<&'a T, ApiError> {
    shelf.as_ref().and_then(|shelf| shelf.list.get(request.index as usize)).ok_or_else(|| {
        let message = format!("server `{}` has no {what} number {}", request.server, request.index);
        ApiError::new(ErrorCode::UnknownEntry, format!("No such {what}"), message)
    })
}

/// A definition as far as it crosses the door.
pub(super) fn definition(definition: &RawValue) -> String {
    clip(definition.get(), LARGEST_TEXT)
}

fn tool(index: u32, offered: &OfferedTool, seen: &Seen) -> ToolSummary {
    let tool = &offered.tool;
    ToolSummary {
        task: name(&tool.task_support),
        icon: tool.icons.as_deref().and_then(|icons| content::icon(icons).0),
        change: seen.change(offered),
        pinned: seen.is_pinned(&tool.name),
        index,
        name: clip(&tool.name, LONGEST_NAME),
        title: name(&tool.title),
        description: beginning(&tool.description),
        hints: ToolHints {
            read_only: tool.hints.read_only,
            destructive: tool.hints.destructive,
            idempotent: tool.hints.idempotent,
            open_world: tool.hints.open_world,
        },
        problem: tool.problem.clone(),
    }
}

fn resource((index, resource): (u32, &Resource)) -> ResourceSummary {
    ResourceSummary {
        index,
        uri: clip(&resource.uri, LONGEST_ADDRESS),
        name: clip(&resource.name, LONGEST_NAME),
        title: name(&resource.title),
        description: beginning(&resource.description),
        mime_type: name(&resource.mime_type),
        // What a page can't hold as a number is nobody's size.
        size: resource.size.filter(|size| *size < 1 << 53),
        problem: resource.problem.clone(),
    }
}

fn template((index, template): (u32, &ResourceTemplate)) -> TemplateSummary {
    let parsed = UriTemplate::parse(&template.uri_template);
    let variables = parsed.as_ref().map(|parsed| parsed.variables()).unwrap_or_default();
    TemplateSummary {
        index,
        uri_template: clip(&template.uri_template, LONGEST_ADDRESS),
        name: clip(&template.name, LONGEST_NAME),
        title: name(&template.title),
        description: beginning(&template.description),
        mime_type: name(&template.mime_type),
        variables: variables.iter().take(MOST_PARTS).map(|variable| clip(variable, LONGEST_NAME)).collect(),
        problem: template.problem.clone().or_else(|| parsed.err().map(|error| error.to_string())),
    }
}

fn prompt((index, prompt): (u32, &Prompt)) -> PromptSummary {
    let arguments = prompt.arguments.iter().take(MOST_PARTS).map(|argument| PromptArgument {
        name: clip(&argument.name, LONGEST_NAME),
        title: name(&argument.title),
        description: beginning(&argument.description),
        required: argument.required,
    });
    PromptSummary {
        index,
        name: clip(&prompt.name, LONGEST_NAME),
        title: name(&prompt.title),
        description: beginning(&prompt.description),
        arguments: arguments.collect(),
        problem: prompt.problem.clone(),
    }
}

fn name(text: &Option<String>) -> Option<String> {
    text.as_deref().map(|text| clip(text, LONGEST_NAME))
}

fn beginning(text: &Option<String>) -> Option<String> {
    text.as_deref().map(|text| text.chars().take(DESCRIPTION).collect())
}

fn whole(text: &Option<String>) -> Option<String> {
    text.as_deref().map(|text| clip(text, LARGEST_TEXT))
}
