//! `add`: typed arguments in, structured output out.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Number, json};

use super::{Outcome, object_schema, text};
use crate::arguments::{Arguments, Refusal};

/// Above this, an `f64` skips integers, so a sum is no longer known to be whole.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn describe() -> Tool {
    let properties = json!({
        "a": { "type": "number", "description": "The first number" },
        "b": { "type": "number", "description": "The second number" },
    });
    let output = json!({
        "sum": { "type": "number", "description": "The sum of `a` and `b`" },
    });
    Tool::new(
        "add",
        "Adds two numbers and answers as text and as structured content",
        object_schema(properties, &["a", "b"]),
    )
    .with_title("Add two numbers")
    .with_raw_output_schema(object_schema(output, &["sum"]))
    .with_annotations(
        ToolAnnotations::with_title("Add two numbers")
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false),
    )
}

pub(super) fn call(arguments: Option<JsonObject>) -> Outcome {
    let arguments = Arguments::new(arguments, &["a", "b"])?;
    let sum = sum(arguments.number("a")?, arguments.number("b")?)?;
    let mut result = text(sum.to_string());
    result.structured_content = Some(json!({ "sum": sum }));
    Ok(result)
}

/// Integers stay integers: 2 and 3 make 5, not 5.0.
fn sum(a: &Number, b: &Number) -> Result<Number, Refusal> {
    if let (Some(a), Some(b)) = (a.as_i128(), b.as_i128())
        && let Some(sum) = Number::from_i128(a + b)
    {
        return Ok(sum);
    }
    let sum = a.as_f64().unwrap_or(f64::NAN) + b.as_f64().unwrap_or(f64::NAN);
    if sum.fract() == 0.0 && sum.abs() < LARGEST_EXACT {
        return Ok(Number::from(sum as i64));
    }
    Number::from_f64(sum).ok_or_else(|| "the sum is too large for a JSON number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_of(a: &str, b: &str) -> Result<String, Refusal> {
        let number = |text| serde_json::from_str::<Number>(text).expect("a JSON number");
        sum(&number(a), &number(b)).map(|sum| sum.to_string())
    }

    #[test]
    fn whole_sums_are_written_without_a_fraction() {
        assert_eq!(sum_of("2", "3"), Ok("5".to_owned()));
        assert_eq!(sum_of("2.0", "3"), Ok("5".to_owned()));
        assert_eq!(sum_of("-7", "2"), Ok("-5".to_owned()));
    }

    #[test]
    fn fractions_keep_their_fraction() {
        assert_eq!(sum_of("0.5", "0.25"), Ok("0.75".to_owned()));
    }

    #[test]
    fn integers_that_no_float_can_hold_are_added_exactly() {
        let (large, sum) = ("9223372036854775807", "9223372036854775808");
        assert_eq!(sum_of(large, "1"), Ok(sum.to_owned()), "u64 has room for it");
    }

    #[test]
    fn a_sum_beyond_every_number_is_refused() {
        assert!(sum_of("1e308", "1e308").is_err());
    }
}
