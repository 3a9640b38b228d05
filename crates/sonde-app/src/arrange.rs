//! The order and the groups that a person wants to see the servers in.

use std::collections::{HashMap, HashSet};

use sonde_registry::{ArrangementError, ServerGroup, ServerId};

use crate::api::changes::Nothing;
use crate::api::configuration::{Arrangement, Group};
use crate::api::error::{ApiError, ErrorCode};
use crate::api::servers::ServerSummary;
use crate::app::App;

/// What a person can still look through.
const MOST_GROUPS: usize = 200;
const MOST_SERVERS: usize = 5000;
/// Characters of a group's name.
const LONGEST_NAME: usize = 200;

impl App {
    pub(crate) async fn arrange_servers(&self, arrangement: Arrangement) -> Result<Nothing, ApiError> {
        check(&arrangement)?;
        {
            let _one_at_a_time = self.inner.editing.lock().await;
            let kept = self.inner.arrangements.groups().map_err(|error| unusable(&error))?;
            let servers = self.inner.roster.servers();
            let is_here = |id: &str| servers.iter().any(|server| server.spec.id.as_str() == id);
            let groups = merged(arrangement.groups, kept, &is_here);
            self.inner.arrangements.set(groups).map_err(|error| unusable(&error))?;
        }
        self.inner.changes.server_changed();
        Ok(Nothing {})
    }

    /// Gives a server's place to another id.
    pub(crate) fn rename_in_arrangement(&self, from: &ServerId, to: &ServerId) -> Result<(), ApiError> {
        let mut groups = self.inner.arrangements.groups().map_err(|error| unusable(&error))?;
        let mut places = groups.iter_mut().flat_map(|group| &mut group.servers);
        let Some(place) = places.find(|server| *server == from.as_str()) else { return Ok(()) };
        *place = to.to_string();
        self.inner.arrangements.set(groups).map_err(|error| unusable(&error))
    }

    /// Brings the servers into their order; tells the groups of those that are here.
    pub(crate) fn arrange(&self, servers: &mut [ServerSummary]) -> Arrangement {
        let groups = self.inner.arrangements.groups().unwrap_or_else(|error| {
            // The servers are all there without it.
            tracing::warn!(%error, "the arrangement can't be used");
            Vec::new()
        });
        let places: HashMap<&str, usize> =
            groups.iter().flat_map(|group| &group.servers).map(String::as_str).zip(0..).collect();
        servers.sort_by_key(|server| places.get(server.id.as_str()).copied().unwrap_or(usize::MAX));
        let here: HashSet<&str> = servers.iter().map(|server| server.id.as_str()).collect();
        let groups = groups.into_iter().map(|group| Group {
            name: group.name,
            servers: group.servers.into_iter().filter(|server| here.contains(server.as_str())).collect(),
        });
        // A group whose servers belong to another project is of no use here; one that was made empty is.
        Arrangement { groups: groups.collect() }
    }
}

fn check(arrangement: &Arrangement) -> Result<(), ApiError> {
    let invalid = |problem: &str| Err(ApiError::new(ErrorCode::InvalidRequest, "Invalid arrangement", problem));
    if arrangement.groups.len() > MOST_GROUPS {
        return invalid("there are more than 200 groups");
    }
    if arrangement.groups.iter().map(|group| group.servers.len()).sum::<usize>() > MOST_SERVERS {
        return invalid("there are more than 5000 servers");
    }
    let (mut names, mut servers) = (HashSet::new(), HashSet::new());
    for group in &arrangement.groups {
        if group.name.chars().count() > LONGEST_NAME {
            return invalid("the name of a group has more than 200 characters");
        }
        if !names.insert(group.name.as_str()) {
            return invalid(&format!("there are two groups `{}`", group.name));
        }
        if let Some(twice) = group.servers.iter().find(|server| !servers.insert(server.as_str())) {
            return invalid(&format!("the server `{}` is in two places", crate::text::clip(twice, 100)));
        }
    }
    Ok(())
}

/// The new arrangement, in which servers that are not here now keep the group they were in: they may belong to another
/// project.
fn merged(new: Vec<Group>, kept: Vec<ServerGroup>, is_here: &dyn Fn(&str) -> bool) -> Vec<ServerGroup> {
    let named: HashSet<String> = new.iter().flat_map(|group| group.servers.iter().cloned()).collect();
    let mut groups: Vec<ServerGroup> =
        new.into_iter().map(|group| ServerGroup { name: group.name, servers: group.servers }).collect();
    for old in kept {
        let absent: Vec<String> =
            old.servers.into_iter().filter(|server| !is_here(server) && !named.contains(server)).collect();
        if absent.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|group| group.name == old.name) {
            Some(group) => group.servers.extend(absent),
            None => groups.push(ServerGroup { name: old.name, servers: absent }),
        }
    }
    groups
}

fn unusable(error: &ArrangementError) -> ApiError {
    ApiError::new(ErrorCode::Storage, "The arrangement can't be used", error.to_string())
        .because(error)
        .hint("check that the data folder is yours and that the disk has room")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, servers: &[&str]) -> Group {
        Group { name: name.to_owned(), servers: servers.iter().map(|server| (*server).to_owned()).collect() }
    }

    #[test]
    fn servers_of_another_project_keep_their_group() {
        let old = |name: &str, servers: &[&str]| {
            let Group { name, servers } = group(name, servers);
            ServerGroup { name, servers }
        };
        let kept = vec![old("work", &["a", "elsewhere"]), old("gone", &["b"]), old("far", &["x"])];
        let new = vec![group("work", &["b", "a"]), group("", &["c"])];
        let wanted = [old("work", &["b", "a", "elsewhere"]), old("", &["c"]), old("far", &["x"])];
        assert_eq!(merged(new, kept, &|id| ["a", "b", "c"].contains(&id)), wanted, "and those that are here go");
    }

    #[test]
    fn what_makes_no_order_is_refused() {
        let many: Vec<Group> = (0..=MOST_GROUPS).map(|number| group(&number.to_string(), &[])).collect();
        for groups in [
            many,
            vec![group("a", &[]), group("a", &[])],
            vec![group("a", &["x"]), group("b", &["x"])],
            vec![group(&"n".repeat(LONGEST_NAME + 1), &[])],
        ] {
            assert!(check(&Arrangement { groups }).is_err(), "it is no order");
        }
        assert!(check(&Arrangement { groups: vec![group("", &["x"]), group("a", &["y"])] }).is_ok());
    }
}
