//! The entries of lists, read lightly: a wrong member never makes the rest of an entry unreadable.

use serde::Deserialize;
use serde_json::value::RawValue;
use sonde_protocol::FirstItems;

/// One entry of `tools/list`.
#[derive(Debug, Clone)]
pub struct Tool {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: Option<Box<RawValue>>,
    pub output_schema: Option<Box<RawValue>>,
    pub hints: Hints,
    /// `required`, `optional` or `forbidden`: whether a call of it is to be a task.
    pub task_support: Option<String>,
    /// The list of its icons, verbatim.
    pub icons: Option<Box<RawValue>>,
    /// The entry, verbatim.
    pub definition: Box<RawValue>,
    /// Why the entry can't be called, if it can't.
    pub problem: Option<String>,
}

/// What the server claims of a tool. Nobody has checked it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

/// One entry of `resources/list`.
#[derive(Debug, Clone)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub size: Option<u64>,
    /// The entry, verbatim.
    pub definition: Box<RawValue>,
    /// Why it can't be used, if it can't.
    pub problem: Option<String>,
}

/// One entry of `resources/templates/list`.
#[derive(Debug, Clone)]
pub struct ResourceTemplate {
    pub uri_template: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    /// The entry, verbatim.
    pub definition: Box<RawValue>,
    /// Why it can't be used, if it can't.
    pub problem: Option<String>,
}

/// One entry of `prompts/list`.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
    /// The entry, verbatim.
    pub definition: Box<RawValue>,
    /// Why it can't be used, if it can't.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub required: bool,
}

/// One entry of `tasks/list`, and what `tasks/get` answers.
#[derive(Debug, Clone)]
pub struct Task {
    pub id: String,
    pub status: String,
    pub status_message: Option<String>,
    pub created_at: Option<String>,
    pub last_updated_at: Option<String>,
    /// In milliseconds; None is without end, or unsaid.
    pub ttl: Option<u64>,
    /// In milliseconds.
    pub poll_interval: Option<u64>,
    /// The entry, verbatim.
    pub definition: Box<RawValue>,
    /// Why it can't be used, if it can't.
    pub problem: Option<String>,
}

/// Every member that an entry of some list has, each as it was written.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    title: Option<&'a RawValue>,
    description: Option<&'a RawValue>,
    input_schema: Option<&'a RawValue>,
    output_schema: Option<&'a RawValue>,
    annotations: Option<&'a RawValue>,
    execution: Option<&'a RawValue>,
    icons: Option<&'a RawValue>,
    uri: Option<&'a RawValue>,
    uri_template: Option<&'a RawValue>,
    mime_type: Option<&'a RawValue>,
    size: Option<&'a RawValue>,
    arguments: Option<&'a RawValue>,
    required: Option<&'a RawValue>,
    task_id: Option<&'a RawValue>,
    status: Option<&'a RawValue>,
    status_message: Option<&'a RawValue>,
    created_at: Option<&'a RawValue>,
    last_updated_at: Option<&'a RawValue>,
    ttl: Option<&'a RawValue>,
    poll_interval: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    /// The members, and why they can't be used: the entry is unreadable, or has no `key`.
    fn of(entry: &'a RawValue, key: &str, pick: fn(&Members<'a>) -> Option<&'a RawValue>) -> (Self, Option<String>) {
        match serde_json::from_str::<Members<'a>>(entry.get()) {
            Ok(members) => {
                let named = pick(&members).and_then(value::<String>).is_some_and(|text| !text.is_empty());
                let problem = (!named).then(|| format!("the entry has no {key}"));
                (members, problem)
            }
            Err(error) => (Members::default(), Some(format!("the entry can't be read: {error}"))),
        }
    }
}

/// A member of the type that it should have; another type is none.
fn value<T: serde::de::DeserializeOwned>(member: &RawValue) -> Option<T> {
    serde_json::from_str(member.get()).ok()
}

fn text(member: Option<&RawValue>) -> Option<String> {
    member.and_then(value)
}

pub fn read_tool(definition: Box<RawValue>) -> Tool {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Annotations<'a> {
        #[serde(borrow)]
        title: Option<&'a RawValue>,
        read_only_hint: Option<&'a RawValue>,
        destructive_hint: Option<&'a RawValue>,
        idempotent_hint: Option<&'a RawValue>,
        open_world_hint: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Execution<'a> {
        #[serde(borrow)]
        task_support: Option<&'a RawValue>,
    }
    let (members, problem) = Members::of(&definition, "name", |members| members.name);
    let annotations: Annotations<'_> =
        members.annotations.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let execution = members.execution.and_then(|raw| serde_json::from_str::<Execution<'_>>(raw.get()).ok());
    let tool = Tool {
        name: text(members.name).unwrap_or_default(),
        title: text(members.title).or_else(|| text(annotations.title)),
        description: text(members.description),
        input_schema: members.input_schema.map(ToOwned::to_owned),
        output_schema: members.output_schema.map(ToOwned::to_owned),
        hints: Hints {
            read_only: annotations.read_only_hint.and_then(value),
            destructive: annotations.destructive_hint.and_then(value),
            idempotent: annotations.idempotent_hint.and_then(value),
            open_world: annotations.open_world_hint.and_then(value),
        },
        task_support: execution.and_then(|execution| text(execution.task_support)),
        icons: members.icons.map(ToOwned::to_owned),
        definition: RawValue::NULL.to_owned(),
        problem,
    };
    Tool { definition, ..tool }
}

pub fn read_resource(definition: Box<RawValue>) -> Resource {
    let (members, problem) = Members::of(&definition, "uri", |members| members.uri);
    let resource = Resource {
        uri: text(members.uri).unwrap_or_default(),
        name: text(members.name).unwrap_or_default(),
        title: text(members.title),
        description: text(members.description),
        mime_type: text(members.mime_type),
        size: members.size.and_then(value),
        definition: RawValue::NULL.to_owned(),
        problem,
    };
    Resource { definition, ..resource }
}

pub fn read_template(definition: Box<RawValue>) -> ResourceTemplate {
    let (members, problem) = Members::of(&definition, "uriTemplate", |members| members.uri_template);
    let template = ResourceTemplate {
        uri_template: text(members.uri_template).unwrap_or_default(),
        name: text(members.name).unwrap_or_default(),
        title: text(members.title),
        description: text(members.description),
        mime_type: text(members.mime_type),
        definition: RawValue::NULL.to_owned(),
        problem,
    };
    ResourceTemplate { definition, ..template }
}

/// Arguments of one prompt that are read.
const MOST_ARGUMENTS: usize = 1000;

pub fn read_prompt(definition: Box<RawValue>) -> Prompt {
    let (members, problem) = Members::of(&definition, "name", |members| members.name);
    let arguments =
        members.arguments.and_then(|raw| serde_json::from_str::<FirstItems<'_, MOST_ARGUMENTS>>(raw.get()).ok());
    let arguments = arguments.into_iter().flat_map(|arguments| arguments.first).filter_map(|argument| {
        let members = serde_json::from_str::<Members<'_>>(argument.get()).ok()?;
        Some(PromptArgument {
            name: text(members.name)?,
            title: text(members.title),
            description: text(members.description),
            required: members.required.and_then(value).unwrap_or(false),
        })
    });
    let prompt = Prompt {
        name: text(members.name).unwrap_or_default(),
        title: text(members.title),
        description: text(members.description),
        arguments: arguments.collect(),
        definition: RawValue::NULL.to_owned(),
        problem,
    };
    Prompt { definition, ..prompt }
}

pub fn read_task(definition: Box<RawValue>) -> Task {
    let (members, problem) = Members::of(&definition, "taskId", |members| members.task_id);
    let task = Task {
        id: text(members.task_id).unwrap_or_default(),
        status: text(members.status).unwrap_or_default(),
        status_message: text(members.status_message),
        created_at: text(members.created_at),
        last_updated_at: text(members.last_updated_at),
        ttl: members.ttl.and_then(value),
        poll_interval: members.poll_interval.and_then(value),
        definition: RawValue::NULL.to_owned(),
        problem,
    };
    Task { definition, ..task }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::literal;

    #[test]
    fn a_member_of_the_wrong_type_hides_only_itself() {
        let entry = r#"{"name":"n","title":7,"description":["x"],"annotations":{"readOnlyHint":"yes","destructiveHint":true,
            "title":"from annotations"},"execution":{"taskSupport":"required"},"inputSchema":{ "type": "object" }}"#;
        let tool = read_tool(literal(entry));
        assert_eq!((tool.name.as_str(), tool.title.as_deref()), ("n", Some("from annotations")));
        assert_eq!(tool.hints, Hints { destructive: Some(true), ..Hints::default() });
        assert_eq!(tool.task_support.as_deref(), Some("required"));
        assert_eq!(tool.input_schema.unwrap().get(), r#"{ "type": "object" }"#);
        assert_eq!((tool.description, tool.problem), (None, None));
        assert_eq!(tool.definition.get(), entry, "the entry stays as it was sent");
    }

    #[test]
    fn an_entry_that_can_not_be_used_says_why() {
        assert_eq!(read_tool(literal("{}")).problem.as_deref(), Some("the entry has no name"));
        assert_eq!(read_resource(literal(r#"{"uri":""}"#)).problem.as_deref(), Some("the entry has no uri"));
        assert!(read_template(literal("7")).problem.unwrap().contains("can't be read"));
        assert_eq!(read_task(literal(r#"{"taskId":5}"#)).problem.as_deref(), Some("the entry has no taskId"));
    }

    #[test]
    fn a_prompt_lists_the_arguments_that_have_a_name() {
        let entry = r#"{"name":"p","arguments":[{"name":"a","required":true},7,{},{"name":"b","required":"yes"}]}"#;
        let names: Vec<_> = read_prompt(literal(entry)).arguments.into_iter().map(|a| (a.name, a.required)).collect();
        assert_eq!(names, [("a".to_owned(), true), ("b".to_owned(), false)]);
    }
}
