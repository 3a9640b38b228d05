//! What is wrong with a value, in words for whoever fills in a form: each said of the part that has to change.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, JsonTypeSet, ValidationError};
use serde_json::Value;

use super::{Violation, clip};

/// How far into the variants of variants a reason is looked for.
const DEEPEST_VARIANT: usize = 4;
const LONGEST_NAME: usize = 1 << 10;

/// One error of the validator, as one violation or as several.
pub(super) fn violations(error: &ValidationError<'_>) -> Vec<Violation> {
    within(error, 0)
}

fn within(error: &ValidationError<'_>, depth: usize) -> Vec<Violation> {
    use ValidationErrorKind as Kind;
    let path = error.instance_path().to_string();
    let here = |message: String| Violation { path: path.clone(), place: path.clone(), message: clip(&message) };
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![Violation { place: below(&path, name), ..here(format!("`{name}` is required")) }]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let refused = |name: &String| {
                let message = format!("`{}` is not allowed", clip(name));
                Violation { place: below(&path, name), ..here(message) }
            };
            unexpected.iter().map(refused).collect()
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let message = format!("the name `{}` {}", clip(name), sentence(error));
            vec![Violation { place: below(&path, name), ..here(message) }]
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let mut told = vec![here(format!("fits none of the {} variants", context.len()))];
            if let Some(closest) = closest(context, &path).filter(|_| depth < DEEPEST_VARIANT) {
                told.extend(closest.iter().flat_map(|error| within(error, depth + 1)));
            }
            told
        }
        _ => vec![here(sentence(error))],
    }
}

/// The errors of the variant that was meant, where one stands out: what fails in it lies inside of the value, and no
/// fixed value in it is another.
fn closest<'a, 'e>(variants: &'a [Vec<ValidationError<'e>>], path: &str) -> Option<&'a [ValidationError<'e>]> {
    use ValidationErrorKind as Kind;
    let meant = |errors: &&Vec<ValidationError<'_>>| {
        errors.iter().all(|error| match error.kind() {
            Kind::Constant { .. } | Kind::Enum { .. } => false,
            Kind::Type { .. } => error.instance_path().as_str() != path,
            _ => true,
        })
    };
    let mut candidates = variants.iter().filter(meant);
    let first = candidates.next()?;
    candidates.next().is_none().then_some(first)
}

fn sentence(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => format!("must be {}", type_name(*kind)),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => format!("must be {}", type_names(*kinds)),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be above {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be below {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {}", counted(*limit, "character")),
        Kind::MaxLength { limit } => format!("must have at most {}", counted(*limit, "character")),
        Kind::MinItems { limit } => format!("must have at least {}", counted(*limit, "item")),
        Kind::MaxItems { limit } => format!("must have at most {}", counted(*limit, "item")),
        Kind::MinProperties { limit } => format!("must have at least {}", counted(*limit, "member")),
        Kind::MaxProperties { limit } => format!("must have at most {}", counted(*limit, "member")),
        Kind::Pattern { pattern } => format!("must match `{pattern}`"),
        Kind::Format { format } => format!("must be a valid {format}"),
        Kind::Constant { expected_value } => format!("must be {expected_value}"),
        Kind::Enum { options } => match options.as_array().map(Vec::len) {
            Some(count) if count > 8 => format!("must be one of the {count} choices"),
            _ => format!("must be one of {}", listed(options)),
        },
        Kind::UniqueItems => "must not have two items that are the same".to_owned(),
        Kind::Contains => "does not have the items that it must contain".to_owned(),
        Kind::AdditionalItems { limit } => format!("must have at most {}", counted(*limit as u64, "item")),
        Kind::FalseSchema => "nothing is allowed here".to_owned(),
        Kind::Not { .. } => "is what the schema excludes".to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits more than one of the variants, and must fit one".to_owned(),
        // The value itself may be of any length, and whoever reads this has it at hand.
        _ => error.masked_with("the value").to_string(),
    }
}

/// The pointer to a member; to what it is in, where its name is no name but a load.
fn below(path: &str, name: &str) -> String {
    let mut place = path.to_owned();
    if name.len() <= LONGEST_NAME {
        super::survey::push_segment(&mut place, name);
    }
    place
}

fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn listed(options: &Value) -> String {
    let options: Vec<_> = options.as_array().into_iter().flatten().map(|option| clip(&option.to_string())).collect();
    options.join(", ")
}

fn type_names(kinds: JsonTypeSet) -> String {
    kinds.iter().map(type_name).collect::<Vec<_>>().join(" or ")
}

fn type_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a text",
    }
}
