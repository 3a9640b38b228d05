//! One search over what all connected servers offer.

use std::sync::Arc;

use crate::api::error::ApiError;
use crate::api::search::{Hit, HitKind, SearchRequest, SearchResult};
use crate::app::App;
use crate::explain;
use crate::full_name::full_name;
use crate::server::Server;
use crate::server::shelves::Shelves;
use crate::text::clip;

/// Hits that are shown.
const MOST_HITS: usize = 200;
/// Words of a query that are looked for, and characters of a name that are looked at and shown.
const MOST_WORDS: usize = 16;
const LONGEST_NAME: usize = 500;
const LONGEST_ADDRESS: usize = 4000;

impl App {
    /// Finds servers, and the tools, resources, templates and prompts of those that are ready.
    pub(crate) async fn search_entries(&self, request: SearchRequest) -> Result<SearchResult, ApiError> {
        let servers = self.inner.roster.servers();
        // A server may offer 100,000 entries, which are too many for a task among others.
        let searched = tokio::task::spawn_blocking(move || search(&servers, &request)).await;
        searched.map_err(|error| explain::life::fault(&error))
    }
}

fn search(servers: &[Arc<Server>], request: &SearchRequest) -> SearchResult {
    let mut found = Found::of(&request.query, (request.limit as usize).min(MOST_HITS));
    for server in servers {
        let id = server.spec.id.as_str();
        found.look(HitKind::Server, id, id, None);
        // The lists are shared, so that nobody waits for us while we look through them.
        let shelves = server.standing().live.as_ref().map(|live| live.shelves.clone());
        if let Some(shelves) = shelves {
            found.look_through(id, &shelves);
        }
    }
    found.ranked()
}

/// What was found so far, with its rank: the smaller the better.
struct Found {
    words: Vec<String>,
    /// Whether a word may be a whole name, or the beginning or the middle of one, like `mcp:files.read`.
    names_whole: bool,
    limit: usize,
    hits: Vec<(usize, Hit)>,
    total: u64,
}

impl Found {
    fn of(query: &str, limit: usize) -> Self {
        let words: Vec<String> = query.split_whitespace().take(MOST_WORDS).map(str::to_lowercase).collect();
        let names_whole = words.iter().any(|word| word.starts_with("mcp") || word.contains(['.', ':']));
        Found { words, names_whole, limit, hits: Vec::new(), total: 0 }
    }

    fn look_through(&mut self, server: &str, shelves: &Shelves) {
        for offered in shelves.tools.iter().flat_map(|shelf| &shelf.list) {
            self.look(HitKind::Tool, server, &offered.tool.name, offered.tool.title.as_deref());
        }
        for resource in shelves.resources.iter().flat_map(|shelf| &shelf.list) {
            let title = resource.title.as_deref().unwrap_or(&resource.name);
            self.look(HitKind::Resource, server, &resource.uri, Some(title));
        }
        for template in shelves.templates.iter().flat_map(|shelf| &shelf.list) {
            let title = template.title.as_deref().unwrap_or(&template.name);
            self.look(HitKind::Template, server, &template.uri_template, Some(title));
        }
        for prompt in shelves.prompts.iter().flat_map(|shelf| &shelf.list) {
            self.look(HitKind::Prompt, server, &prompt.name, prompt.title.as_deref());
        }
    }

    fn look(&mut self, kind: HitKind, server: &str, name: &str, title: Option<&str>) {
        let whole = (kind == HitKind::Tool && self.names_whole).then(|| full_name(server, name));
        let Some(rank) = self.rank(server, name, title.unwrap_or_default(), whole.as_deref()) else { return };
        self.total += 1;
        let longest =
            if matches!(kind, HitKind::Resource | HitKind::Template) { LONGEST_ADDRESS } else { LONGEST_NAME };
        let name = clip(name, longest);
        let full_name = (kind == HitKind::Tool).then(|| full_name(server, &name));
        let title = title.filter(|title| !title.is_empty()).map(|title| clip(title, LONGEST_NAME));
        self.hits.push((rank, Hit { kind, server: server.to_owned(), name, title, full_name }));
        // Only the best are kept, so that a query that finds everything holds no copy of everything.
        if self.hits.len() >= 2 * MOST_HITS.max(self.limit) {
            self.keep_the_best();
        }
    }

    /// None where a word is nowhere. A word counts where it counts most: at the beginning of the name or of the whole name
    /// with its server, in the name, in the title, in the server's name, anywhere in the whole name.
    fn rank(&self, server: &str, name: &str, title: &str, whole: Option<&str>) -> Option<usize> {
        if self.words.is_empty() {
            return Some(0);
        }
        let lower = |text: &str| text.chars().take(LONGEST_NAME).flat_map(char::to_lowercase).collect::<String>();
        let (name, title, server) = (lower(name), lower(title), lower(server));
        let whole = whole.map(lower).unwrap_or_default();
        self.words.iter().try_fold(0, |rank, word| {
            let word = word.as_str();
            let place = match () {
                () if name.starts_with(word) || whole.starts_with(word) => 0,
                () if name.contains(word) => 1,
                () if title.contains(word) => 2,
                () if server.contains(word) || whole.contains(word) => 3,
                () => return None,
            };
            Some(rank + place)
        })
    }

    /// Of the same rank, whoever was found first stays first.
    fn keep_the_best(&mut self) {
        self.hits.sort_by_key(|(rank, _)| *rank);
        self.hits.truncate(self.limit);
    }

    fn ranked(mut self) -> SearchResult {
        self.keep_the_best();
        SearchResult { hits: self.hits.into_iter().map(|(_, hit)| hit).collect(), total: self.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, limit: usize) -> Found {
        Found::of(query, limit)
    }

    fn names(found: Found) -> Vec<String> {
        found.ranked().hits.into_iter().map(|hit| hit.name).collect()
    }

    #[test]
    fn all_words_must_be_there_and_a_name_counts_most() {
        let mut search = found("Read", 10);
        search.look(HitKind::Tool, "reader", "open", None);
        search.look(HitKind::Tool, "files", "open", Some("Read a file"));
        search.look(HitKind::Tool, "files", "spread", None);
        search.look(HitKind::Tool, "files", "read_file", None);
        search.look(HitKind::Tool, "files", "write", Some("Write a file"));
        assert_eq!(
            names(search),
            ["read_file", "spread", "open", "open"],
            "prefix, name, title, server; and not `write`"
        );

        let mut search = found("file READ", 10);
        search.look(HitKind::Tool, "files", "read", None);
        search.look(HitKind::Tool, "other", "read", None);
        search.look(HitKind::Tool, "other", "read_file", None);
        assert_eq!(names(search), ["read_file", "read"], "both words, wherever each is");
    }

    #[test]
    fn a_tool_is_found_by_its_whole_name_and_by_each_part_of_it() {
        for query in ["mcp:files.read_file", "mcp:files", "mcp:", "files.read", "MCP:Files.Read_", "s.read_file"] {
            let mut search = found(query, 10);
            search.look(HitKind::Tool, "other", "write", None);
            search.look(HitKind::Tool, "files", "read_file", None);
            let first = names(search).into_iter().find(|name| name == "read_file");
            assert!(first.is_some(), "`{query}` is what a model or a terminal calls it");
        }
        let mut search = found("mcp:files.read_file", 10);
        search.look(HitKind::Tool, "files", "read", None);
        search.look(HitKind::Resource, "files", "read_file", None);
        assert!(names(search).is_empty(), "another tool is not meant, and only tools are called so");
    }

    #[test]
    fn however_much_is_found_only_the_best_are_held_and_all_are_counted() {
        let mut search = found("x", 3);
        for number in 0..10_000 {
            search.look(HitKind::Resource, "s", &format!("file:///{number}x"), None);
            assert!(search.hits.len() <= 2 * MOST_HITS, "nothing grows with what is found");
        }
        search.look(HitKind::Tool, "s", "x", None);
        let result = search.ranked();
        assert_eq!((result.total, result.hits.len()), (10_001, 3));
        assert_eq!(result.hits[0].full_name.as_deref(), Some("mcp:s.x"), "the best comes first, though it came last");
    }
}
