//! What a ready server offers: the lists as they were last heard, and how they are kept current.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::value::RawValue;
use sonde_client::{
    Catalog, Client, Gate, Listing, Prompt, Resource, ResourceTemplate, Tool, read_prompt, read_resource,
    read_template, read_tool,
};
use sonde_protocol::Party;
use sonde_registry::ServerSpec;

use super::Server;
use super::seen::digest;
use crate::api::catalog::CatalogName;
use crate::api::error::ApiError;
use crate::api::servers::ListProblem;
use crate::app::{App, Keeping};
use crate::explain;
use crate::schemas::Checker;

/// The lists that are kept. None is a list that has not come yet. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Shelves {
    pub tools: Option<Arc<Shelf<OfferedTool>>>,
    pub resources: Option<Arc<Shelf<Resource>>>,
    pub templates: Option<Arc<Shelf<ResourceTemplate>>>,
    pub prompts: Option<Arc<Shelf<Prompt>>>,
    /// Lists that did not come, or not whole.
    pub failures: Vec<(Catalog, ApiError)>,
}

/// One list, in the server's order.
pub(crate) struct Shelf<T> {
    pub list: Vec<T>,
    /// Why the list is not whole, if it is not.
    pub problem: Option<String>,
    /// How often the server had said that the list changed.
    version: u64,
}

/// A tool, and its schemas once somebody needed them.
pub(crate) struct OfferedTool {
    pub tool: Tool,
    /// Of its definition.
    pub sha256: [u8; 32],
    pub input: OnceLock<Checker>,
    pub output: OnceLock<Checker>,
}

/// The lists that are kept; tasks come and go, and are asked for when somebody wants them.
pub(crate) const KEPT: [Catalog; 4] = [Catalog::Tools, Catalog::Resources, Catalog::Templates, Catalog::Prompts];

/// Bytes of one list that are kept, as they were sent; what is read from them is held beside them.
const KEPT_BYTES: usize = 24 << 20;

/// The least time between two listings.
const RELIST_PAUSE: Duration = Duration::from_millis(500);

impl Shelves {
    /// Asks for a list and keeps what comes. Gives what went wrong, where something did.
    pub async fn fetch(
        &mut self,
        spec: &ServerSpec,
        client: &Client,
        catalog: Catalog,
        gate: Gate,
    ) -> Option<ApiError> {
        let (listing, version) = heard(client, catalog, gate).await;
        self.keep(spec, catalog, listing, version)
    }

    fn keep(&mut self, spec: &ServerSpec, catalog: Catalog, listing: Listing, version: u64) -> Option<ApiError> {
        let failure = listing.problem.as_deref().map(|problem| explain::life::unlisted(spec, catalog, problem));
        self.failures.retain(|(other, _)| *other != catalog);
        self.failures.extend(failure.clone().map(|failure| (catalog, failure)));
        self.put(catalog, listing, version);
        failure
    }

    fn put(&mut self, catalog: Catalog, listing: Listing, version: u64) {
        match catalog {
            Catalog::Tools => self.tools = Some(Shelf::of(listing, version, OfferedTool::read)),
            Catalog::Resources => self.resources = Some(Shelf::of(listing, version, read_resource)),
            Catalog::Templates => self.templates = Some(Shelf::of(listing, version, read_template)),
            Catalog::Prompts => self.prompts = Some(Shelf::of(listing, version, read_prompt)),
            Catalog::Tasks => {}
        }
    }

    /// The failures as a front door is told of them.
    pub fn problems(&self) -> Vec<ListProblem> {
        let told = self.failures.iter().filter_map(|(catalog, error)| {
            let catalog = match catalog {
                Catalog::Tools => CatalogName::Tools,
                Catalog::Resources => CatalogName::Resources,
                Catalog::Templates => CatalogName::Templates,
                Catalog::Prompts => CatalogName::Prompts,
                Catalog::Tasks => return None,
            };
            Some(ListProblem { catalog, error: error.clone() })
        });
        told.collect()
    }

    /// Whether a list was heard, and the server has not said since that it changed.
    pub fn is_fresh(&self, client: &Client, catalog: Catalog) -> bool {
        let version = match catalog {
            Catalog::Tools => self.tools.as_ref().map(|shelf| shelf.version),
            Catalog::Resources => self.resources.as_ref().map(|shelf| shelf.version),
            Catalog::Templates => self.templates.as_ref().map(|shelf| shelf.version),
            Catalog::Prompts => self.prompts.as_ref().map(|shelf| shelf.version),
            Catalog::Tasks => None,
        };
        version == Some(*client.changes(catalog).borrow())
    }

    /// A list that will not come, with the reason where one must be told.
    pub fn leave_empty(&mut self, catalog: Catalog, problem: Option<String>) {
        self.put(catalog, Listing { problem, ..Listing::default() }, 0);
    }

    /// The offered tool of that name; the first, where a server has several.
    pub fn tool(&self, name: &str) -> Option<(Arc<Shelf<OfferedTool>>, usize)> {
        let shelf = self.tools.as_ref()?;
        let place = shelf.list.iter().position(|offered| offered.tool.name == name)?;
        Some((shelf.clone(), place))
    }
}

impl<T> Shelf<T> {
    fn of(listing: Listing, version: u64, read: impl Fn(Box<RawValue>) -> T) -> Arc<Self> {
        let total = listing.entries.len();
        let mut room = KEPT_BYTES;
        let fitting = listing.entries.into_iter().map_while(|entry| {
            room = room.checked_sub(entry.get().len())?;
            Some(read(entry))
        });
        let list: Vec<T> = fitting.collect();
        let cut = (list.len() < total)
            .then(|| format!("of {total} entries the first {} are kept, which have {KEPT_BYTES} bytes", list.len()));
        Arc::new(Shelf { list, problem: listing.problem.or(cut), version })
    }
}

impl Shelf<OfferedTool> {
    /// The first of that name.
    pub fn named(&self, name: &str) -> Option<&OfferedTool> {
        self.list.iter().find(|offered| offered.tool.name == name)
    }
}

impl OfferedTool {
    fn read(definition: Box<RawValue>) -> Self {
        let sha256 = digest(&definition);
        OfferedTool { tool: read_tool(definition), sha256, input: OnceLock::new(), output: OnceLock::new() }
    }
}

/// Lists once, and again whenever the server says that the list changed. Ends with the connection.
pub(super) async fn keep_current(app: App, server: Arc<Server>, client: Client, catalog: Catalog) {
    let mut changed = client.changes(catalog);
    // A server that did not declare that it would tell is not listened to: the log has what it said.
    let tells = tells_of_changes(&client, catalog);
    app.inner.rush.over().await;
    changed.mark_unchanged();
    app.inner.rush.in_turn(server.list_if_stale(&app, &client, catalog)).await;
    while tells && changed.changed().await.is_ok() {
        // A server that says so after every listing must not keep us listing.
        tokio::time::sleep(RELIST_PAUSE).await;
        changed.mark_unchanged();
        server.list_if_stale(&app, &client, catalog).await;
    }
}

/// Asks for a list; gives it with how often the server had said before that it changed.
async fn heard(client: &Client, catalog: Catalog, gate: Gate) -> (Listing, u64) {
    let version = *client.changes(catalog).borrow();
    let listing = client.list_through(catalog, gate).await.unwrap_or_else(|error| Listing {
        problem: Some(format!("the {} could not be listed: {error}", plural(catalog))),
        ..Listing::default()
    });
    (listing, version)
}

fn tells_of_changes(client: &Client, catalog: Catalog) -> bool {
    let method = match catalog {
        Catalog::Tools => "notifications/tools/list_changed",
        // Templates have no notification of their own.
        Catalog::Resources | Catalog::Templates => "notifications/resources/list_changed",
        Catalog::Prompts => "notifications/prompts/list_changed",
        Catalog::Tasks => return false,
    };
    client.agreement().objection(Party::Server, method).is_none()
}

fn plural(catalog: Catalog) -> &'static str {
    match catalog {
        Catalog::Tools => "tools",
        Catalog::Resources => "resources",
        Catalog::Templates => "templates",
        Catalog::Prompts => "prompts",
        Catalog::Tasks => "tasks",
    }
}

impl Server {
    /// Lists and keeps the answer. A failure keeps the connection, and says what it was.
    pub(crate) async fn list(&self, app: &App, client: &Client, catalog: Catalog, gate: Gate) {
        let _one_at_a_time = self.listing(catalog).lock().await;
        self.list_now(app, client, catalog, gate).await;
    }

    /// Lists unless what is kept is the newest there is.
    pub(crate) async fn list_if_stale(&self, app: &App, client: &Client, catalog: Catalog) {
        let _one_at_a_time = self.listing(catalog).lock().await;
        if self.standing().live.as_ref().is_some_and(|live| !live.shelves.is_fresh(client, catalog)) {
            self.list_now(app, client, catalog, Gate::Keep).await;
        }
    }

    async fn list_now(&self, app: &App, client: &Client, catalog: Catalog, gate: Gate) {
        let (listing, version) = heard(client, catalog, gate).await;
        {
            let mut standing = self.standing();
            standing.catalog_revision += 1;
            if let Some(live) = &mut standing.live
                && let Some(failure) = live.shelves.keep(&self.spec, catalog, listing, version)
            {
                tracing::warn!(server = %self.spec.id, method = catalog.method(), title = %failure.title, "a list failed");
            }
        }
        app.inner.changes.server_changed();
        if catalog == Catalog::Tools && app.inner.keeping == Keeping::Current {
            app.compare_with_seen(self, client).await;
        }
    }

    fn listing(&self, catalog: Catalog) -> &tokio::sync::Mutex<()> {
        let [tools, resources, templates, others] = &self.listings;
        match catalog {
            Catalog::Tools => tools,
            Catalog::Resources => resources,
            Catalog::Templates => templates,
            Catalog::Prompts | Catalog::Tasks => others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_too_large_is_kept_as_far_as_it_fits_and_said_to_be_cut() {
        let entry = |number: usize| {
            let text = format!(r#"{{"name":"p{number}","description":"{}"}}"#, "x".repeat(1 << 20));
            RawValue::from_string(text).unwrap()
        };
        let listing = Listing { entries: (0..30).map(entry).collect(), problem: None, pages: 1 };
        let shelf = Shelf::of(listing, 0, read_prompt);
        assert_eq!(shelf.list.len(), 23, "what 24 MiB hold of entries that are a little larger than one");
        let problem = shelf.problem.as_deref().unwrap();
        assert!(problem.contains("of 30 entries the first 23"), "{problem}");
        let listing = Listing { entries: vec![entry(0)], problem: Some("page 2 failed".to_owned()), pages: 2 };
        assert_eq!(
            Shelf::of(listing, 0, read_prompt).problem.as_deref(),
            Some("page 2 failed"),
            "one that fits is whole"
        );
    }
}
