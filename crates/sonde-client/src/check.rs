//! What a server's question must be before a person sees it.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use sonde_protocol::Agreement;

use crate::answers::{INVALID_PARAMS, Refusal};

/// Refuses what was never declared, and a conversation whose tool results do not fit their uses.
pub(crate) fn check(agreement: &Agreement, method: &str, params: Option<&RawValue>) -> Result<(), Refusal> {
    match method {
        "sampling/createMessage" => check_sampling(agreement, object(params)?),
        "elicitation/create" => check_elicitation(agreement, object(params)?),
        _ => Ok(()),
    }
}

fn object(params: Option<&RawValue>) -> Result<&RawValue, Refusal> {
    params.filter(|params| params.get().starts_with('{')).ok_or_else(|| invalid("`params` must be an object"))
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(INVALID_PARAMS, message)
}

fn check_elicitation(agreement: &Agreement, params: &RawValue) -> Result<(), Refusal> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        mode: Option<&'a RawValue>,
    }
    let Params { mode } = read(params)?;
    let modes = agreement.revision.rules().elicitation_urls;
    let url = modes && agreement.client.declares("elicitation.url");
    // An empty declaration means forms, and so does one from before there were modes.
    let form = !modes || agreement.client.declares("elicitation.form") || !url;
    match mode.map_or(r#""form""#, RawValue::get) {
        r#""form""# if form => Ok(()),
        r#""url""# if url => Ok(()),
        r#""form""# | r#""url""# => Err(invalid("this client did not declare that mode of elicitation")),
        _ => Err(invalid("`mode` is neither `form` nor `url`")),
    }
}

fn check_sampling(agreement: &Agreement, params: &RawValue) -> Result<(), Refusal> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        tools: Option<&'a RawValue>,
        #[serde(borrow, rename = "toolChoice")]
        tool_choice: Option<&'a RawValue>,
        #[serde(borrow)]
        messages: Option<&'a RawValue>,
    }
    if !agreement.revision.rules().sampling_tools {
        return Ok(());
    }
    let Params { tools, tool_choice, messages } = read(params)?;
    if (tools.is_some() || tool_choice.is_some()) && !agreement.client.declares("sampling.tools") {
        return Err(invalid("this client did not declare `sampling.tools`"));
    }
    let Some(messages) = messages.filter(|messages| messages.get().starts_with('[')) else { return Ok(()) };
    match read::<Balance>(messages)?.problem {
        Some(problem) => Err(invalid(problem)),
        None => Ok(()),
    }
}

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, Refusal> {
    serde_json::from_str(value.get()).map_err(|error| invalid(format!("the params can't be read: {error}")))
}

/// What is wrong with the tools of a conversation. The messages are looked at one after the other and never kept:
/// there may be millions.
struct Balance {
    problem: Option<&'static str>,
}

const MIXED: &str = "Tool results mixed with other content";
const MISSING: &str = "Tool result missing in request";
const UNASKED: &str = "Tool result without a tool use in the message before";

impl<'de> Deserialize<'de> for Balance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(BalanceVisitor)
    }
}

struct BalanceVisitor;

impl<'de> Visitor<'de> for BalanceVisitor {
    type Value = Balance;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut messages: A) -> Result<Balance, A::Error> {
        let mut problem = None;
        // The uses of the message before, which this one must answer.
        let mut asked: HashSet<Cow<'de, str>> = HashSet::new();
        while let Some(message) = messages.next_element::<&'de RawValue>()? {
            let tools = Tools::of(message);
            let found = if !tools.results.is_empty() && tools.others {
                Some(MIXED)
            } else if !tools.results.is_subset(&asked) {
                Some(UNASKED)
            } else if !asked.is_subset(&tools.results) {
                Some(MISSING)
            } else {
                None
            };
            problem = problem.or(found);
            asked = tools.uses;
        }
        if !asked.is_empty() {
            problem = problem.or(Some(MISSING));
        }
        Ok(Balance { problem })
    }
}

/// The tools in one message.
#[derive(Default)]
struct Tools<'a> {
    uses: HashSet<Cow<'a, str>>,
    results: HashSet<Cow<'a, str>>,
    /// Whether there is anything but results.
    others: bool,
}

impl<'a> Tools<'a> {
    fn of(message: &'a RawValue) -> Self {
        #[derive(Deserialize)]
        struct Message<'a> {
            #[serde(borrow)]
            content: Option<&'a RawValue>,
        }
        let mut tools = Tools::default();
        let content = serde_json::from_str::<Message<'a>>(message.get()).ok().and_then(|message| message.content);
        match content {
            Some(content) if content.get().starts_with('[') => {
                let blocks = Blocks(&mut tools);
                let mut deserializer = serde_json::Deserializer::from_str(content.get());
                // What can't be read is no tool, and a person will see it as it is.
                deserializer.deserialize_seq(blocks).unwrap_or_default();
            }
            Some(content) => tools.add(content),
            None => {}
        }
        tools
    }

    fn add(&mut self, block: &'a RawValue) {
        #[derive(Deserialize)]
        struct Block<'a> {
            #[serde(borrow, rename = "type")]
            kind: Option<Cow<'a, str>>,
            #[serde(borrow)]
            id: Option<Cow<'a, str>>,
            #[serde(borrow, rename = "toolUseId")]
            tool_use_id: Option<Cow<'a, str>>,
        }
        let block = serde_json::from_str::<Block<'a>>(block.get()).ok();
        match block {
            Some(Block { kind: Some(kind), tool_use_id: Some(id), .. }) if kind == "tool_result" => {
                self.results.insert(id);
            }
            Some(Block { kind: Some(kind), id: Some(id), .. }) if kind == "tool_use" => {
                self.others = true;
                self.uses.insert(id);
            }
            _ => self.others = true,
        }
    }
}

struct Blocks<'a, 'b>(&'b mut Tools<'a>);

impl<'de> Visitor<'de> for Blocks<'de, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array of content")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<(), A::Error> {
        while let Some(block) = blocks.next_element::<&'de RawValue>()? {
            self.0.add(block);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sonde_protocol::{Capabilities, Revision};

    use super::*;
    use crate::wire::literal;

    fn refused(revision: Revision, declared: &str, method: &str, params: &str) -> Option<String> {
        let agreement =
            Agreement { revision, client: Capabilities::read(&literal(declared)), server: Capabilities::none() };
        check(&agreement, method, Some(&literal(params))).err().map(|refusal| {
            assert_eq!(refusal.code, INVALID_PARAMS, "all of these are faults of the params");
            refusal.message
        })
    }

    fn sampled(messages: &str) -> Option<String> {
        let params = format!(r#"{{"messages":[{messages}],"tools":[]}}"#);
        refused(Revision::LATEST, r#"{"sampling":{"tools":{}}}"#, "sampling/createMessage", &params)
    }

    const USE: &str = r#"{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b"}]}"#;

    #[test]
    fn every_tool_use_is_answered_in_the_next_message() {
        let both = r#"{"role":"user","content":[{"type":"tool_result","toolUseId":"b"},{"type":"tool_result","toolUseId":"a"}]}"#;
        let one = r#"{"role":"user","content":{"type":"tool_result","toolUseId":"a"}}"#;
        let text = r#"{"role":"user","content":{"type":"text","text":"t"}}"#;
        assert_eq!(sampled(&format!("{text},{USE},{both},{text}")), None);
        assert_eq!(sampled(&format!("{USE},{one}")).as_deref(), Some(MISSING));
        assert_eq!(sampled(&format!("{USE},{text},{both}")).as_deref(), Some(MISSING), "it must be the next message");
        assert_eq!(sampled(USE).as_deref(), Some(MISSING), "a conversation does not end with a use");
        assert_eq!(sampled(one).as_deref(), Some(UNASKED));
    }

    #[test]
    fn results_of_tools_stand_alone_in_their_message() {
        let mixed = r#"{"role":"user","content":[{"type":"tool_result","toolUseId":"a"},{"type":"tool_result","toolUseId":"b"},{"type":"text","text":"t"}]}"#;
        assert_eq!(sampled(&format!("{USE},{mixed}")).as_deref(), Some(MIXED));
    }

    #[test]
    fn content_that_no_revision_knows_is_left_to_the_person() {
        assert_eq!(sampled(r#"{"role":"user","content":[7,{"type":"hologram"},{}]},"?",{}"#), None);
    }

    #[test]
    fn tools_need_their_own_declaration() {
        let sampling = |params| refused(Revision::LATEST, r#"{"sampling":{}}"#, "sampling/createMessage", params);
        assert!(sampling(r#"{"messages":[],"tools":[]}"#).is_some());
        assert!(sampling(r#"{"messages":[],"toolChoice":{"mode":"none"}}"#).is_some());
        assert_eq!(sampling(r#"{"messages":[]}"#), None);
        let before = |params| refused(Revision::V2025_06_18, r#"{"sampling":{}}"#, "sampling/createMessage", params);
        assert_eq!(before(r#"{"messages":[],"tools":[]}"#), None, "an older revision knows no tools to declare");
    }

    #[test]
    fn an_elicitation_comes_in_a_mode_that_was_declared() {
        let ask = |declared: &str, params| refused(Revision::LATEST, declared, "elicitation/create", params);
        let (form, url) = (r#"{"mode":"form"}"#, r#"{"mode":"url"}"#);
        let empty = r#"{"elicitation":{}}"#;
        assert_eq!(ask(empty, "{}"), None, "no mode is the mode `form`");
        assert_eq!(ask(empty, form), None, "an empty declaration means forms");
        assert!(ask(empty, url).is_some());
        let only_url = r#"{"elicitation":{"url":{}}}"#;
        assert_eq!(ask(only_url, url), None);
        assert!(ask(only_url, "{}").is_some());
        assert!(ask(r#"{"elicitation":{"form":{},"url":{}}}"#, r#"{"mode":"dream"}"#).is_some());
        let before = |params| refused(Revision::V2025_06_18, only_url, "elicitation/create", params);
        assert_eq!(before("{}"), None, "before there were modes there were forms");
        assert!(before(url).is_some());
    }

    #[test]
    fn params_that_are_no_object_are_refused() {
        assert!(refused(Revision::LATEST, "{}", "elicitation/create", "[1]").is_some());
    }
}
