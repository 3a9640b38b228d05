//! Answers that were written down beforehand: which question gets which reply.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sonde_client::Reply;

use crate::api::error::{ApiError, ErrorCode};

/// A file of rules: `{"rules":[{"method":"…","when":{"path.in.params":"glob*"},"answer":{…}}]}`. The first rule that
/// fits a question answers it.
#[derive(Debug, Clone)]
pub struct AnswerRules {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    method: String,
    /// Dotted paths into the params, and what must stand there.
    when: Vec<(String, Value)>,
    answer: Answer,
}

#[derive(Debug, Clone)]
enum Answer {
    Result(Box<RawValue>),
    Error { code: i64, message: String, data: Option<Box<RawValue>> },
}

/// A question's params beyond this are not looked into by `when`.
const LARGEST_PARAMS: usize = 1 << 20;
const MOST_RULES: usize = 1000;

impl AnswerRules {
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            rules: Vec<Written>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            method: String,
            #[serde(default)]
            when: serde_json::Map<String, Value>,
            answer: Box<RawValue>,
        }
        let text = text.trim_start_matches('\u{feff}');
        let file: File = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        if file.rules.len() > MOST_RULES {
            return Err(invalid(format!("there are {} rules; {MOST_RULES} are the limit", file.rules.len())));
        }
        let rule = |(number, written): (usize, Written)| {
            let answer =
                read_answer(&written.answer).map_err(|problem| invalid(format!("rule {number}: {problem}")))?;
            Ok(Rule { method: written.method, when: written.when.into_iter().collect(), answer })
        };
        Ok(AnswerRules { rules: (1..).zip(file.rules).map(rule).collect::<Result<_, ApiError>>()? })
    }

    /// The reply to a question, if a rule fits it.
    pub fn reply(&self, method: &str, params: Option<&str>) -> Option<Reply> {
        let params = params.filter(|params| params.len() <= LARGEST_PARAMS);
        let params = params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or(Value::Null);
        let rule = self.rules.iter().find(|rule| glob(&rule.method, method) && rule.fits(&params))?;
        Some(match rule.answer.clone() {
            Answer::Result(result) => Reply::Result(result),
            Answer::Error { code, message, data } => Reply::Error { code, message, data },
        })
    }
}

impl Rule {
    fn fits(&self, params: &Value) -> bool {
        self.when.iter().all(|(path, wanted)| match (find(params, path), wanted) {
            (Some(Value::String(found)), Value::String(pattern)) => glob(pattern, found),
            (Some(found), wanted) => found == wanted,
            (None, wanted) => wanted.is_null(),
        })
    }
}

/// An object is the result itself, unless `error` is all it has.
fn read_answer(answer: &RawValue) -> Result<Answer, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Refusal {
        error: ErrorObject,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ErrorObject {
        code: i64,
        message: String,
        data: Option<Box<RawValue>>,
    }
    if !answer.get().starts_with('{') {
        return Err("`answer` must be an object".to_owned());
    }
    if let Ok(Refusal { error }) = serde_json::from_str(answer.get()) {
        return Ok(Answer::Error { code: error.code, message: error.message, data: error.data });
    }
    // A message is one line; outside of strings a line feed is but a space.
    let line = answer.get().replace(['\n', '\r'], " ");
    RawValue::from_string(line).map(Answer::Result).map_err(|error| error.to_string())
}

fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Whether the text is what the pattern says, where `*` stands for anything, nothing included.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        // The first place is as good as any: what follows has the more room.
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

fn invalid(problem: String) -> ApiError {
    ApiError::new(ErrorCode::Configuration, "Invalid answers", problem)
        .hint(r#"rules look like {"rules":[{"method":"elicitation/create","answer":{"action":"decline"}}]}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reply: Option<Reply>) -> String {
        match reply {
            Some(Reply::Result(result)) => result.get().to_owned(),
            Some(Reply::Error { code, message, data }) => format!("{code} {message} {data:?}"),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn the_first_rule_that_fits_answers() {
        let rules = AnswerRules::parse(
            r#"{"rules":[
            {"method":"elicitation/create","when":{"message":"*name*","requestedSchema.required.0":"name"},
             "answer":{"action":"accept","content":{"name":"Ada",
             "n":9007199254740993}}},
            {"method":"elicitation/*","when":{"mode":"url"},"answer":{"error":{"code":-1,"message":"no"}}},
            {"method":"sampling/createMessage","when":{"maxTokens":5,"task":null},"answer":{"model":"m"}},
            {"method":"elicitation/create","answer":{"action":"decline"}}]}"#,
        )
        .unwrap();
        let named = r#"{"message":"Your name?","requestedSchema":{"required":["name"]}}"#;
        let accepted = said(rules.reply("elicitation/create", Some(named)));
        assert!(accepted.contains("9007199254740993") && !accepted.contains('\n'), "verbatim, on a line: {accepted}");
        let url = said(rules.reply("elicitation/create", Some(r#"{"mode":"url","message":"name"}"#)));
        assert!(url.starts_with("-1 no"), "an error is a reply, too: {url}");
        assert_eq!(said(rules.reply("elicitation/create", None)), r#"{"action":"decline"}"#, "a rule without `when`");
        let sampling = |params| said(rules.reply("sampling/createMessage", Some(params)));
        assert_eq!(sampling(r#"{"maxTokens":5}"#), r#"{"model":"m"}"#, "null means that it is not there");
        assert_eq!(sampling(r#"{"maxTokens":5,"task":{}}"#), "nothing", "no rule fits");
        assert_eq!(sampling("no JSON"), "nothing");
    }

    #[test]
    fn a_rule_that_cannot_be_meant_is_told_with_its_number() {
        for (text, told) in [
            ("", "EOF"),
            ("[]", "expected struct"),
            (r#"{"rules":[{"method":"x","answer":{}},{"method":"x","answer":7}]}"#, "rule 2"),
            (r#"{"rules":[{"method":"x"}]}"#, "answer"),
            (r#"{"rules":[{"method":"x","wenn":{},"answer":{}}]}"#, "wenn"),
        ] {
            let error = AnswerRules::parse(text).unwrap_err();
            assert_eq!(error.code, ErrorCode::Configuration);
            assert!(error.message.contains(told), "`{text}`: {error}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text) in [("*", ""), ("a*", "a"), ("*b", "ab"), ("a*b*c", "a--b--b-c"), ("a", "a"), ("**", "x")] {
            assert!(glob(pattern, text), "`{pattern}` fits `{text}`");
        }
        for (pattern, text) in [("", "a"), ("a", "ab"), ("a*a", "a"), ("*b", "ba"), ("a*b*c", "a-c-b"), ("A", "a")] {
            assert!(!glob(pattern, text), "`{pattern}` does not fit `{text}`");
        }
    }
}
