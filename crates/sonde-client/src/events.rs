//! What a server reports besides answers.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::clip;

/// Events that wait for a slow listener; then the oldest are dropped, and the listener is told how many.
pub(crate) const KEPT_EVENTS: usize = 256;
/// Longest status of a task that is carried along, so that waiting events have a bound.
const LONGEST_STATUS: usize = 64 << 10;

#[derive(Debug, Clone)]
pub enum Event {
    ResourceUpdated {
        uri: String,
    },
    LogMessage {
        level: String,
        logger: Option<String>,
        /// The data as it was written, or its beginning.
        data: String,
    },
    TaskStatus {
        task: Arc<RawValue>,
    },
    ElicitationComplete {
        id: String,
    },
    QuestionAsked {
        number: u64,
    },
    /// Answered, withdrawn by the server, or ended with the connection.
    QuestionOver {
        number: u64,
    },
}

impl Event {
    pub(crate) fn resource_updated(params: Option<&RawValue>) -> Option<Event> {
        #[derive(Deserialize)]
        struct Params {
            uri: String,
        }
        let Params { uri } = serde_json::from_str(params?.get()).ok()?;
        Some(Event::ResourceUpdated { uri: clip(&uri) })
    }

    pub(crate) fn log_message(params: Option<&RawValue>) -> Option<Event> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            level: Option<&'a RawValue>,
            logger: Option<&'a RawValue>,
            data: Option<&'a RawValue>,
        }
        let Params { level, logger, data } = serde_json::from_str(params?.get()).ok()?;
        let text = |value: Option<&RawValue>| value.map(|value| clip(&string(value)));
        let level = text(level).unwrap_or_default();
        let data = data.map(|data| clip(data.get())).unwrap_or_default();
        Some(Event::LogMessage { level, logger: text(logger), data })
    }

    pub(crate) fn task_status(params: Option<&RawValue>) -> Option<Event> {
        let task = params.filter(|params| params.get().len() <= LONGEST_STATUS)?;
        Some(Event::TaskStatus { task: Arc::from(task.to_owned()) })
    }

    pub(crate) fn elicitation_complete(params: Option<&RawValue>) -> Option<Event> {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "elicitationId")]
            id: String,
        }
        let Params { id } = serde_json::from_str(params?.get()).ok()?;
        Some(Event::ElicitationComplete { id: clip(&id) })
    }
}

/// A string's content; anything else as it was written.
fn string(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}
