//! The servers there are. The configuration may change at any time, and with it who is here.

use std::sync::{Arc, Mutex, PoisonError};

use crate::api::servers::ConfigProblem;
use crate::server::Server;

/// Replaced as a whole, so that whoever looks sees one state of the configuration.
#[derive(Default)]
pub(crate) struct Roster {
    present: Mutex<Present>,
}

#[derive(Clone, Default)]
pub(crate) struct Present {
    pub servers: Arc<[Arc<Server>]>,
    pub problems: Arc<[ConfigProblem]>,
}

impl Roster {
    pub fn new(servers: Vec<Arc<Server>>, problems: Vec<ConfigProblem>) -> Self {
        Roster { present: Mutex::new(Present { servers: servers.into(), problems: problems.into() }) }
    }

    pub fn now(&self) -> Present {
        self.present.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn servers(&self) -> Arc<[Arc<Server>]> {
        self.now().servers
    }
}
