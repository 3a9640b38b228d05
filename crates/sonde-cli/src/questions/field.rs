//! The fields of a form: which there are, and what may be typed into each.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::arguments::Object;

pub struct Field {
    pub name: String,
    pub description: Option<String>,
    required: bool,
    default: Option<Box<RawValue>>,
    kind: Kind,
}

enum Kind {
    Text {
        least: usize,
        most: usize,
        format: Option<String>,
    },
    Number {
        least: f64,
        most: f64,
    },
    Whole {
        least: f64,
        most: f64,
    },
    YesOrNo,
    OneOf(Vec<Choice>),
    SomeOf {
        choices: Vec<Choice>,
        least: usize,
        most: usize,
    },
    /// A type that forms do not have: it is typed as JSON.
    Other,
}

pub struct Choice {
    value: String,
    title: Option<String>,
}

impl Choice {
    pub fn label(&self) -> String {
        match &self.title {
            Some(title) if *title != self.value => format!("{} ({title})", self.value),
            _ => self.value.clone(),
        }
    }
}

/// The fields of `requestedSchema`, in the order the server wrote them.
pub fn fields(params: Option<&str>) -> Vec<Field> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        requested_schema: Schema,
    }
    #[derive(Deserialize)]
    struct Schema {
        #[serde(default)]
        properties: Object,
        #[serde(default)]
        required: Vec<String>,
    }
    /// Nobody fills in more, and a server could ask for any number.
    const MOST: usize = 200;
    let read = params.and_then(|params| serde_json::from_str::<Params>(params).ok());
    let Some(Params { requested_schema: schema }) = read else { return Vec::new() };
    let of = |(name, property): (String, Box<RawValue>)| {
        let required = schema.required.contains(&name);
        Field::new(name, &property, required)
    };
    schema.properties.0.into_iter().take(MOST).map(of).collect()
}

impl Field {
    fn new(name: String, property: &RawValue, required: bool) -> Self {
        #[derive(Deserialize, Default)]
        struct Verbatim {
            default: Option<Box<RawValue>>,
        }
        let schema: Value = serde_json::from_str(property.get()).unwrap_or_default();
        let text = |name: &str| schema.get(name).and_then(Value::as_str).map(str::to_owned);
        let default = serde_json::from_str::<Verbatim>(property.get()).unwrap_or_default().default;
        let description = match (text("title"), text("description")) {
            (Some(title), Some(description)) => Some(format!("{title}: {description}")),
            (title, description) => title.or(description),
        };
        Field { name, description, required, default, kind: kind(&schema) }
    }

    /// What may be typed, in words.
    pub fn kind_in_words(&self) -> String {
        let words = match &self.kind {
            Kind::Text { format: Some(format), .. } => format!("text ({format})"),
            Kind::Text { .. } => "text".to_owned(),
            Kind::Number { least, most } => format!("number{}", range(*least, *most)),
            Kind::Whole { least, most } => format!("whole number{}", range(*least, *most)),
            Kind::YesOrNo => "yes or no".to_owned(),
            Kind::OneOf(_) => "one of these".to_owned(),
            Kind::SomeOf { .. } => "any of these, with commas between".to_owned(),
            Kind::Other => "JSON".to_owned(),
        };
        if self.required { format!("{words}, required") } else { words }
    }

    pub fn choices(&self) -> &[Choice] {
        match &self.kind {
            Kind::OneOf(choices) | Kind::SomeOf { choices, .. } => choices,
            _ => &[],
        }
    }

    /// What an empty line stands for.
    pub fn default_text(&self) -> Option<String> {
        let default = self.default.as_ref()?;
        Some(serde_json::from_str::<String>(default.get()).unwrap_or_else(|_| default.get().to_owned()))
    }

    /// The value that was typed; none where the field stays empty; or why it can't be that.
    pub fn read(&self, typed: &str) -> Result<Option<Box<RawValue>>, String> {
        if typed.trim().is_empty() {
            return match (&self.default, self.required) {
                (Some(default), _) => Ok(Some(default.clone())),
                (None, false) => Ok(None),
                (None, true) => Err("this one is required".to_owned()),
            };
        }
        let value = match &self.kind {
            Kind::Text { least, most, .. } => match typed.chars().count() {
                length if length < *least => return Err(format!("at least {least} characters")),
                length if length > *most => return Err(format!("at most {most} characters")),
                _ => to_raw_value(typed),
            },
            Kind::Number { least, most } => {
                within(typed.trim().parse().ok(), *least, *most)?;
                return Ok(Some(as_number(typed)?));
            }
            Kind::Whole { least, most } => {
                let number: Option<f64> = typed.trim().parse().ok();
                within(number.filter(|number| number.fract() == 0.0), *least, *most)?;
                return Ok(Some(as_number(typed)?));
            }
            Kind::YesOrNo => match typed.trim().to_lowercase().as_str() {
                "y" | "yes" | "true" => to_raw_value(&true),
                "n" | "no" | "false" => to_raw_value(&false),
                _ => return Err("type yes or no".to_owned()),
            },
            Kind::OneOf(choices) => to_raw_value(&pick(choices, typed)?),
            Kind::SomeOf { choices, least, most } => {
                let picked = typed.split(',').filter(|word| !word.trim().is_empty()).map(|word| pick(choices, word));
                let picked: Vec<&str> = picked.collect::<Result<_, _>>()?;
                if picked.len() < *least || picked.len() > *most {
                    return Err(format!("between {least} and {most} of them"));
                }
                to_raw_value(&picked)
            }
            Kind::Other => RawValue::from_string(typed.trim().to_owned()),
        };
        value.map(Some).map_err(|error| format!("that is no JSON: {error}"))
    }
}

fn kind(schema: &Value) -> Kind {
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    let count = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let (least, most) = (number("minimum").unwrap_or(f64::NEG_INFINITY), number("maximum").unwrap_or(f64::INFINITY));
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => match choices(schema) {
            Some(choices) => Kind::OneOf(choices),
            None => Kind::Text {
                least: count("minLength").unwrap_or(0),
                most: count("maxLength").unwrap_or(usize::MAX),
                format: schema.get("format").and_then(Value::as_str).map(str::to_owned),
            },
        },
        Some("number") => Kind::Number { least, most },
        Some("integer") => Kind::Whole { least, most },
        Some("boolean") => Kind::YesOrNo,
        Some("array") => match schema.get("items").and_then(choices) {
            Some(choices) => Kind::SomeOf {
                choices,
                least: count("minItems").unwrap_or(0),
                most: count("maxItems").unwrap_or(usize::MAX),
            },
            None => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// `enum` with or without `enumNames`, or `oneOf` or `anyOf` of constants with titles.
fn choices(schema: &Value) -> Option<Vec<Choice>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let titles = schema.get("enumNames").and_then(Value::as_array);
        let title = |index: usize| titles?.get(index)?.as_str().map(str::to_owned);
        let values = values.iter().enumerate();
        return values
            .map(|(index, value)| Some(Choice { value: value.as_str()?.to_owned(), title: title(index) }))
            .collect();
    }
    let constants = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)?;
    let choice = |constant: &Value| {
        let title = constant.get("title").and_then(Value::as_str).map(str::to_owned);
        Some(Choice { value: constant.get("const")?.as_str()?.to_owned(), title })
    };
    constants.iter().map(choice).collect()
}

/// By value, by title, or by number in the list; a value that is a number wins over the place.
fn pick<'a>(choices: &'a [Choice], typed: &str) -> Result<&'a str, String> {
    let typed = typed.trim();
    let by_value = choices.iter().find(|choice| choice.value == typed);
    let by_title = || choices.iter().find(|choice| choice.title.as_deref() == Some(typed));
    let by_place = || choices.get(typed.parse::<usize>().ok()?.checked_sub(1)?);
    let found = by_value.or_else(by_title).or_else(by_place);
    found.map(|choice| choice.value.as_str()).ok_or_else(|| format!("`{typed}` is none of them"))
}

fn within(number: Option<f64>, least: f64, most: f64) -> Result<(), String> {
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(()),
        Some(_) => Err(format!("it must be a number{}", range(least, most))),
        None => Err("that is not such a number".to_owned()),
    }
}

/// The number as it was typed, where JSON writes numbers like that.
fn as_number(typed: &str) -> Result<Box<RawValue>, String> {
    let raw = RawValue::from_string(typed.trim().to_owned());
    raw.map_err(|_| format!("`{}` is not how JSON writes a number", typed.trim()))
}

fn range(least: f64, most: f64) -> String {
    match (least.is_finite(), most.is_finite()) {
        (true, true) => format!(" from {least} to {most}"),
        (true, false) => format!(" of at least {least}"),
        (false, true) => format!(" of at most {most}"),
        (false, false) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(schema: &str, required: bool) -> Field {
        Field::new("x".to_owned(), &RawValue::from_string(schema.to_owned()).expect("JSON"), required)
    }

    fn typed(schema: &str, text: &str) -> Result<Option<String>, String> {
        field(schema, false).read(text).map(|value| value.map(|value| value.get().to_owned()))
    }

    fn is(text: &str) -> Result<Option<String>, String> {
        Ok(Some(text.to_owned()))
    }

    #[test]
    fn fields_keep_the_servers_order() {
        let params =
            r#"{"requestedSchema":{"properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["a"]}}"#;
        let fields = fields(Some(params));
        assert_eq!(fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["z", "a"]);
        assert_eq!(fields[1].kind_in_words(), "whole number, required");
        assert!(super::fields(Some("7")).is_empty() && super::fields(None).is_empty());
    }

    #[test]
    fn an_empty_line_is_the_default_or_nothing_or_not_enough() {
        assert_eq!(typed(r#"{"type":"string"}"#, ""), Ok(None));
        assert_eq!(typed(r#"{"type":"number","default":1.50}"#, " "), is("1.50"));
        assert!(field(r#"{"type":"string"}"#, true).read("").is_err());
    }

    #[test]
    fn each_type_reads_its_own_and_refuses_the_rest() {
        assert_eq!(typed(r#"{"type":"string","minLength":2}"#, "ab"), is("\"ab\""));
        assert!(typed(r#"{"type":"string","minLength":2}"#, "a").is_err());
        assert_eq!(typed(r#"{"type":"integer","maximum":9}"#, "9"), is("9"));
        for wrong in ["10", "1.5", "x", "NaN", "+1"] {
            assert!(typed(r#"{"type":"integer","maximum":9}"#, wrong).is_err(), "`{wrong}`");
        }
        assert_eq!(typed(r#"{"type":"number"}"#, "1.50"), is("1.50"), "as it was typed");
        assert_eq!(typed(r#"{"type":"boolean"}"#, "Yes"), is("true"));
        assert!(typed(r#"{"type":"boolean"}"#, "maybe").is_err());
        assert_eq!(typed(r#"{"type":"object"}"#, r#"{"a":1}"#), is(r#"{"a":1}"#), "what no form has is typed as JSON");
    }

    #[test]
    fn choices_are_picked_by_value_title_or_place() {
        let named = r#"{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}"#;
        assert_eq!(typed(named, "g"), is("\"g\""));
        assert_eq!(typed(named, "Green"), is("\"g\""));
        assert_eq!(typed(named, "1"), is("\"r\""));
        assert!(typed(named, "3").is_err() && typed(named, "0").is_err());
        let titled = r#"{"type":"string","oneOf":[{"const":"7","title":"Seven"},{"const":"1"}]}"#;
        assert_eq!(typed(titled, "1"), is("\"1\""), "a value wins over the place");
        let several = r#"{"type":"array","items":{"anyOf":[{"const":"a"},{"const":"b"}]},"maxItems":1}"#;
        assert_eq!(typed(several, "b"), is(r#"["b"]"#));
        assert!(typed(several, "a,b").is_err());
    }
}
