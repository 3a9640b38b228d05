//! The messages we write. They are built here and nowhere else.

use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Outgoing<'a, P: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refusal<'a>>,
}

#[derive(Serialize)]
struct Refusal<'a> {
    code: i64,
    message: &'a str,
}

fn empty<'a, P: Serialize>() -> Outgoing<'a, P> {
    Outgoing { jsonrpc: "2.0", id: None, method: None, params: None, result: None, error: None }
}

pub(crate) fn request<P: Serialize>(
    id: &RawValue,
    method: &str,
    params: Option<&P>,
) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Outgoing { id: Some(id), method: Some(method), params, ..empty() })
}

pub(crate) fn notification<P: Serialize>(method: &str, params: Option<&P>) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Outgoing { method: Some(method), params, ..empty() })
}

pub(crate) fn result(id: &RawValue, result: &RawValue) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Outgoing { id: Some(id), result: Some(result), ..empty::<()>() })
}

pub(crate) fn refusal(id: &RawValue, code: i64, message: &str) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Outgoing { id: Some(id), error: Some(Refusal { code, message }), ..empty::<()>() })
}
