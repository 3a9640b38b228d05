//! Who wants to know when a resource changes. The clock does by itself, and the note when a tool writes it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rmcp::{ErrorData, RoleServer, model::ResourceUpdatedNotificationParam, service::Peer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{CLOCK_URI, read};
use crate::{lists::Lists, suite};

const TICK: Duration = Duration::from_secs(1);

/// More subscriptions than there are resources; beyond it, they are refused.
const MOST: usize = 2000;

/// The subscriptions of one connection, each with what ends its updates.
#[derive(Default)]
pub(crate) struct Subscriptions {
    kept: Mutex<BTreeMap<String, DropGuard>>,
}

impl Subscriptions {
    pub(crate) fn add(&self, uri: String, lists: &Lists, peer: &Peer<RoleServer>) -> Result<(), ErrorData> {
        read(&uri, lists)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST && !kept.contains_key(&uri) {
            return Err(ErrorData::internal_error(format!("there are already {MOST} subscriptions"), None));
        }
        let ended = CancellationToken::new();
        if [CLOCK_URI, suite::WATCHED_URI].contains(&uri.as_str()) {
            tokio::spawn(ended.clone().run_until_cancelled_owned(tick(uri.clone(), peer.clone())));
        }
        // One that is there already is replaced, and its updates end.
        kept.insert(uri, ended.drop_guard());
        Ok(())
    }

    pub(crate) fn has(&self, uri: &str) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).contains_key(uri)
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
    }
}

async fn tick(uri: String, peer: Peer<RoleServer>) {
    let mut ticks = tokio::time::interval(TICK);
    // The first is at once, and nothing has changed yet.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri.clone())).await.is_err() {
            return;
        }
    }
}
