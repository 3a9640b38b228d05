//! Resources whose updates a server was asked to tell of, for as long as its connection lasts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use sonde_client::{Client, Event, Gate};
use tokio::sync::broadcast::error::RecvError;

use crate::api::catalog::{Subscription, SubscriptionList, SubscriptionRequest};
use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::ServerRequest;
use crate::app::App;
use crate::server::{Server, now_ms};

/// Subscriptions of one server that are looked after.
const MOST: usize = 1000;
/// Times of updates that are kept of each.
const RECENT: usize = 50;

#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    by_uri: BTreeMap<String, Watched>,
    unasked: u64,
    missed: u64,
}

#[derive(Debug)]
struct Watched {
    since: i64,
    updates: u64,
    /// Newest first.
    recent: VecDeque<i64>,
}

impl Subscriptions {
    /// False where it was begun before.
    fn begin(&mut self, uri: &str, at: i64) -> bool {
        let is_new = !self.by_uri.contains_key(uri);
        if is_new {
            self.by_uri.insert(uri.to_owned(), Watched { since: at, updates: 0, recent: VecDeque::new() });
        }
        is_new
    }

    /// An update of something below what was subscribed to counts as its own: a server may tell of a part.
    fn note(&mut self, uri: &str, at: i64) {
        let asked = match self.by_uri.contains_key(uri) {
            true => self.by_uri.get_mut(uri),
            false => self.by_uri.iter_mut().find(|(asked, _)| is_part(uri, asked)).map(|(_, watched)| watched),
        };
        match asked {
            Some(watched) => {
                watched.updates += 1;
                watched.recent.push_front(at);
                watched.recent.truncate(RECENT);
            }
            None => self.unasked += 1,
        }
    }

    fn list(&self) -> SubscriptionList {
        let told = self.by_uri.iter().map(|(uri, watched)| Subscription {
            uri: uri.clone(),
            since: watched.since,
            updates: watched.updates,
            recent: watched.recent.iter().copied().collect(),
        });
        SubscriptionList { subscriptions: told.collect(), unasked: self.unasked, missed: self.missed }
    }
}

fn is_part(uri: &str, of: &str) -> bool {
    uri.strip_prefix(of).is_some_and(|rest| of.ends_with('/') || rest.starts_with(['/', '#', '?']))
}

#[derive(Serialize)]
struct Params<'a> {
    uri: &'a str,
}

impl App {
    pub(crate) async fn subscribe_resource(&self, request: SubscriptionRequest) -> Result<Nothing, ApiError> {
        let server = self.server(&request.server)?;
        let full = |live: &crate::server::Live| live.subscriptions.by_uri.len() >= MOST;
        if server.standing().live.as_ref().is_some_and(full) {
            let message = format!("server `{}` has {MOST} subscriptions already", server.spec.id);
            return Err(ApiError::new(ErrorCode::Busy, "Too many subscriptions", message).hint("end one first"));
        }
        // An update may come before the answer does.
        let mut is_new = false;
        server.standing().tell_news(|live| is_new = live.subscriptions.begin(&request.uri, now_ms()));
        let asked = self.ask_now(&server, "resources/subscribe", Some(&Params { uri: &request.uri }), Gate::Keep).await;
        if asked.is_err() && is_new {
            server.standing().tell_news(|live| drop(live.subscriptions.by_uri.remove(&request.uri)));
        }
        self.inner.changes.server_changed();
        asked.map(|_| Nothing {})
    }

    pub(crate) async fn unsubscribe_resource(&self, request: SubscriptionRequest) -> Result<Nothing, ApiError> {
        let server = self.server(&request.server)?;
        self.ask_now(&server, "resources/unsubscribe", Some(&Params { uri: &request.uri }), Gate::Keep).await?;
        server.standing().tell_news(|live| drop(live.subscriptions.by_uri.remove(&request.uri)));
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    pub(crate) async fn list_subscriptions(&self, request: ServerRequest) -> Result<SubscriptionList, ApiError> {
        let server = self.server(&request.server)?;
        let standing = server.standing();
        Ok(standing.live.as_ref().map(|live| live.subscriptions.list()).unwrap_or_default())
    }
}

/// Counts updates and hears of tasks, for as long as the connection lasts.
pub(crate) async fn follow(app: App, server: Arc<Server>, client: Client) {
    let mut events = client.events();
    loop {
        match events.recv().await {
            Ok(Event::ResourceUpdated { uri }) => {
                server.standing().tell_news(|live| live.subscriptions.note(&uri, now_ms()));
            }
            Ok(Event::TaskStatus { .. }) => server.standing().tell_news(|_| {}),
            Ok(_) => continue,
            // What came faster than it could be counted is in the log.
            Err(RecvError::Lagged(missed)) => server.standing().tell_news(|live| live.subscriptions.missed += missed),
            Err(RecvError::Closed) => return,
        }
        app.inner.changes.server_changed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_counted_for_what_was_asked_and_for_its_parts() {
        let mut subscriptions = Subscriptions::default();
        assert!(subscriptions.begin("file:///a", 1));
        assert!(!subscriptions.begin("file:///a", 2), "asked for twice, it is one");
        for uri in ["file:///a", "file:///a/b", "file:///a#c", "file:///ab", "x:y"] {
            subscriptions.note(uri, 2);
        }
        let list = subscriptions.list();
        assert_eq!((list.subscriptions[0].updates, list.unasked), (3, 2));
        for at in 3..100 {
            subscriptions.note("file:///a", at);
        }
        let recent = &subscriptions.list().subscriptions[0].recent;
        assert_eq!((recent.len(), recent[0]), (RECENT, 99), "the newest first, and no more than a list can show");
    }
}
