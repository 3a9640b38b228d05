//! URI templates. The examples are those of RFC 6570, with strings for values.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sonde_protocol::{TemplateProblem, UriTemplate};

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Expands with those of the RFC's variables that the template has.
fn expand(template: &str) -> String {
    let all = [
        ("var", "value"),
        ("hello", "Hello World!"),
        ("empty", ""),
        ("path", "/foo/bar"),
        ("x", "1024"),
        ("y", "768"),
        ("half", "50%"),
        ("who", "fred"),
        ("base", "http://example.com/home/"),
        ("v", "6"),
    ];
    let template = UriTemplate::parse(template).expect("the template is valid");
    let known = all.iter().filter(|(name, _)| template.variables().iter().any(|variable| variable == name));
    template.expand(&values(&known.copied().collect::<Vec<_>>())).expect("it can be expanded")
}

#[test]
fn every_operator_expands_as_the_rfc_says() {
    for (template, address) in [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("X{#var}", "X#value"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("file:///{+path}{?v*}", "file:////foo/bar?v=6"),
        ("no/variables/%20/at/all/\u{e4}", "no/variables/%20/at/all/%C3%A4"),
        ("{+half}{#half}", "50%25#50%25"),
    ] {
        assert_eq!(expand(template), address, "{template}");
    }
}

#[test]
fn a_value_cannot_leave_its_place() {
    let template = UriTemplate::parse("db://{table}/rows{?limit}").expect("it is valid");
    let address = template.expand(&values(&[("table", "../../etc/passwd?x#y"), ("limit", "1&admin=1")]));
    assert_eq!(address.as_deref(), Ok("db://..%2F..%2Fetc%2Fpasswd%3Fx%23y/rows?limit=1%26admin%3D1"));
}

#[test]
fn variables_come_in_the_order_of_the_template_and_once() {
    let template = UriTemplate::parse("{b}{?a,b,c}{&a:4,d*}").expect("it is valid");
    assert_eq!(template.variables(), ["b", "a", "c", "d"]);
    assert_eq!(template.as_str(), "{b}{?a,b,c}{&a:4,d*}", "the template is kept as it was written");
    let problem = template.expand(&values(&[("e", "1")]));
    assert_eq!(problem, Err(TemplateProblem::UnknownVariable { name: "e".to_owned() }), "a slip of the pen is told");
}

#[test]
fn what_is_no_template_is_said_and_nothing_grows_without_end() {
    for text in [
        "{",
        "}",
        "{}",
        "{a",
        "a}",
        "{{a}}",
        "{a b}",
        "{=a}",
        "{a:0}",
        "{a:99999}",
        "{a,}",
        "{?}",
        "{%zz}",
        "%",
        "%2",
        "%2\u{e4}",
        "{\u{e4}}",
        "a b",
        "\u{0}",
        "{|a}",
        "{a*b}",
        "{a:1*}",
        "{a.}",
        "{a:-1}",
    ] {
        assert!(matches!(UriTemplate::parse(text), Err(TemplateProblem::Invalid { .. })), "{text:?}");
    }
    let long = "a".repeat((64 << 10) + 1);
    assert!(matches!(UriTemplate::parse(&long), Err(TemplateProblem::TooLong { .. })));
    let many = UriTemplate::parse(&"{a}".repeat(20_000)).expect("it is valid");
    assert_eq!(many.variables(), ["a"]);
    let value = values(&[("a", &"x".repeat(1 << 20))]);
    assert!(matches!(many.expand(&value), Err(TemplateProblem::TooLarge { .. })), "20 GB are not written");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_template_or_is_not(text in "[{}?&+#./;,:*%a-c0-9 \u{e4}\u{1f600}]{0,40}", value in ".{0,20}") {
        if let Ok(template) = UriTemplate::parse(&text) {
            let values = template.variables().iter().map(|name| (name.clone(), value.clone())).collect();
            if let Ok(address) = template.expand(&values) {
                prop_assert!(!address.contains(' '), "an address has no spaces: {}", address);
            }
        }
    }
}
