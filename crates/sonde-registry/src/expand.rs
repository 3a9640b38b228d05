//! `${NAME}` and `${NAME:-default}` in configuration values. Never a shell.

/// A variable that is not set and has no default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unset(pub String);

pub(crate) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, Unset> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, from) = rest.split_at(start);
        let Some(end) = from.find('}') else { break };
        expanded.push_str(before);
        let inner = from.get(2..end).unwrap_or_default();
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (inner, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        expanded.push_str(&variable(name).or(default).ok_or_else(|| Unset(name.to_owned()))?);
        rest = from.get(end + 1..).unwrap_or_default();
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// The values that are filled into a text. They may be secrets.
pub(crate) fn filled(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let names = text.split("${").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    let plain = names.map(|inner| inner.split_once(":-").map_or(inner, |(name, _)| name));
    plain.filter_map(|name| variable(name.strip_prefix("env:").unwrap_or(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_defaults_and_plain_text_expand_and_an_unset_one_is_named() {
        let variable = |name: &str| (name == "HOME").then(|| "/home/ada".to_owned());
        assert_eq!(expand("${HOME}/x-${env:HOME}", &variable), Ok("/home/ada/x-/home/ada".into()));
        assert_eq!(expand("${PORT:-80}", &variable), Ok("80".into()), "the default stands in");
        assert_eq!(expand("${TOKEN}", &variable), Err(Unset("TOKEN".into())));
        assert_eq!(filled("${HOME}/x-${env:HOME:-y}${Z:-1}", &variable), ["/home/ada", "/home/ada"]);
        assert_eq!(expand("$HOME ${open", &variable), Ok("$HOME ${open".into()), "anything else is plain text");
    }
}
