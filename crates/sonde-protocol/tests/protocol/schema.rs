//! Schemas of servers: right ones are applied, wrong ones and loads are named.

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sonde_protocol::{Schema, SchemaProblem};

fn compile(schema: &Value) -> Result<Schema, SchemaProblem> {
    Schema::compile(&serde_json::value::to_raw_value(schema).expect("a value is JSON"))
}

/// The paths of what is wrong with `value`.
fn paths(schema: &Value, value: &Value) -> Vec<String> {
    let schema = compile(schema).expect("the schema can be used");
    schema.check(value).into_iter().map(|violation| violation.path).collect()
}

fn problem(schema: &Value) -> SchemaProblem {
    compile(schema).expect_err("this schema is not to be used")
}

#[test]
fn violations_have_a_place_and_a_sentence() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "list": { "items": { "enum": ["x", "y"] } }, "b": {} },
        "required": ["b"],
        "additionalProperties": false,
    });
    assert_eq!(paths(&schema, &json!({ "a": 1, "b": 2 })), [""; 0], "all is well");
    assert_eq!(paths(&schema, &json!({ "b": 2, "c": 3 })), [""], "c is not allowed");
    assert_eq!(paths(&schema, &json!({ "a": "1", "list": ["x", "z"] })), ["/a", "/list/1", ""]);
    let wrong = compile(&schema).expect("it is a schema").check(&json!({ "a": "x".repeat(100_000), "b": 1 }));
    assert!(wrong.iter().all(|violation| violation.message.len() < 1000), "the value itself is not repeated");
    assert!(wrong.iter().any(|violation| violation.message.contains("integer")), "{wrong:?}");
}

#[test]
fn violations_name_the_part_that_has_to_change() {
    let schema = json!({
        "properties": {
            "seats": { "type": "integer", "minimum": 1 },
            "a/b": { "properties": { "deep": { "type": "string" } }, "required": ["deep"] },
            "way": {
                "oneOf": [
                    { "properties": { "by": { "const": "car" }, "doors": { "type": "integer" } } },
                    { "properties": { "by": { "const": "train" }, "class": { "enum": [1, 2] } }, "required": ["class"] },
                ],
            },
        },
        "required": ["seats"],
        "additionalProperties": false,
        "propertyNames": { "maxLength": 5 },
    });
    let told = |value: Value| -> Vec<(String, String)> {
        let violations = compile(&schema).expect("it is a schema").check(&value);
        violations.into_iter().map(|violation| (violation.place, violation.message)).collect()
    };
    let say = |place: &str, message: &str| (place.to_owned(), message.to_owned());
    assert_eq!(told(json!({ "seats": 0 })), [say("/seats", "must be at least 1")]);
    assert_eq!(told(json!({ "seats": "one" })), [say("/seats", "must be an integer")]);
    assert_eq!(
        told(json!({ "a/b": {} })),
        [say("/a~1b/deep", "`deep` is required"), say("/seats", "`seats` is required")]
    );
    let strangers = told(json!({ "seats": 1, "x": 1, "y": 2 }));
    assert_eq!(strangers, [say("/x", "`x` is not allowed"), say("/y", "`y` is not allowed")]);
    let long = told(json!({ "seats": 1, "too long": 1 }));
    assert!(long.contains(&say("/too long", "the name `too long` must have at most 5 characters")), "{long:?}");
    let train = told(json!({ "seats": 1, "way": { "by": "train" } }));
    let closest = [say("/way", "fits none of the 2 variants"), say("/way/class", "`class` is required")];
    assert_eq!(train, closest, "only one of the variants was meant");
    let load = told(json!({ "seats": 1, "x".repeat(1 << 16): 1 }));
    assert!(load.iter().all(|(place, message)| place.len() + message.len() < 2000), "names are not repeated at length");
}

#[test]
fn the_dialect_decides_what_a_keyword_means() {
    let array = |dialect: Option<&str>| {
        let mut schema = json!({ "items": [{ "type": "string" }], "prefixItems": [{ "type": "integer" }] });
        if let Some(dialect) = dialect {
            schema["$schema"] = json!(dialect);
        }
        schema
    };
    let old = array(Some("http://json-schema.org/draft-07/schema#"));
    assert_eq!(paths(&old, &json!([1])), ["/0"], "draft-07 has arrays of items and no `prefixItems`");
    for dialect in [None, Some("https://json-schema.org/draft/2020-12/schema")] {
        assert!(matches!(problem(&array(dialect)), SchemaProblem::Invalid { .. }), "2020-12 has no arrays of items");
    }
    for dialect in
        ["http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema", "urn:mine", ""]
    {
        let found = problem(&json!({ "$schema": dialect }));
        assert_eq!(found, SchemaProblem::Unsupported { dialect: dialect.to_owned() }, "it is named");
        let inner = json!({ "$defs": { "a": { "$id": "http://a/b", "$schema": dialect } } });
        assert!(matches!(problem(&inner), SchemaProblem::Unsupported { .. }), "inside, too");
    }
}

#[test]
fn references_within_a_schema_are_followed() {
    let tree = json!({
        "$id": "https://example.org/tree",
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "properties": { "value": { "type": "integer" }, "children": { "items": { "$ref": "#node" } } },
                "$anchor": "node",
            },
        },
    });
    assert_eq!(
        paths(&tree, &json!({ "value": 1, "children": [{ "children": [{ "value": "x" }] }] })),
        ["/children/0/children/0/value"]
    );
    let parts = json!({
        "properties": { "a": { "$ref": "part.json" }, "b": { "$ref": "https://x.y/part.json#/properties/c" } },
        "$id": "https://x.y/whole.json",
        "$defs": { "p": { "$id": "part.json", "properties": { "c": { "type": "null" } } } },
    });
    assert_eq!(paths(&parts, &json!({ "a": { "c": 1 }, "b": 2 })), ["/a/c", "/b"]);
    let escaped = json!({ "$ref": "#/$defs/a~1b%25", "$defs": { "a/b%": { "type": "string" } } });
    assert_eq!(paths(&escaped, &json!(1)), [""]);
    let meta = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$ref": "http://json-schema.org/draft-07/schema#" });
    assert_eq!(paths(&meta, &json!({ "type": "nothing" })), ["/type"], "a dialect's own schema is known, not fetched");
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "http://169.254.169.254/latest/meta-data",
        "https://example.org/schema.json",
        "file:///etc/passwd",
        "data:application/json,{}",
        "other.json",
        "//host/schema",
        "urn:uuid:1",
    ] {
        for schema in [json!({ "$ref": reference }), json!({ "items": { "anyOf": [{ "$dynamicRef": reference }] } })] {
            assert_eq!(problem(&schema), SchemaProblem::External { reference: reference.to_owned() });
        }
    }
    let data = json!({ "const": { "$ref": "http://x.y/z" }, "properties": { "$ref": { "type": "string" } } });
    assert!(compile(&data).is_ok(), "what only looks like a reference is none");
}

#[test]
fn loads_are_told_before_they_are_compiled() {
    let complex = |schema: &Value| assert!(matches!(problem(schema), SchemaProblem::TooComplex { .. }), "too complex");
    complex(&json!({ "anyOf": vec![json!({ "type": "string" }); 100_000] }));
    complex(&json!({ "pattern": "a".repeat(100_000) }));
    complex(&json!({ "allOf": vec![json!({ "pattern": "(a{99}){99}" }); 300] }));
    // Each definition uses the next one twice: short to write, endless to check.
    let mut doubling: Value = (0..60)
        .map(|at| {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            (format!("d{at}"), json!({ "anyOf": [next, next] }))
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    doubling["d60"] = json!({ "type": "null" });
    complex(&json!({ "$ref": "#/$defs/d0", "$defs": doubling }));
    let chain: serde_json::Map<_, _> =
        (0..5000).map(|at| (format!("c{at}"), json!({ "$ref": format!("#/$defs/c{}", at + 1) }))).collect();
    let mut chain = json!({ "$ref": "#/$defs/c0", "$defs": chain });
    chain["$defs"]["c5000"] = json!(true);
    complex(&chain);
    let deep = format!("{}true{}", r#"{"not":"#.repeat(1000), "}".repeat(1000));
    let deep = RawValue::from_string(deep).expect("it is JSON");
    assert!(matches!(Schema::compile(&deep), Err(SchemaProblem::TooComplex { .. })), "too deep");
}

#[test]
fn a_reference_that_only_leads_to_itself_is_told() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        json!({ "allOf": [{ "anyOf": [{ "$ref": "#" }] }] }),
        json!({ "$ref": "#/$defs/missing" }),
        json!({ "$ref": "#/const/hidden", "const": { "hidden": { "anyOf": [] } } }),
        json!({ "type": 7 }),
        json!({ "$schema": 7 }),
        json!({ "pattern": "(" }),
        json!([]),
        json!("string"),
    ] {
        assert!(matches!(problem(&schema), SchemaProblem::Invalid { .. }), "{schema}: {:?}", problem(&schema));
    }
}

#[test]
fn a_pattern_cannot_backtrack() {
    let schema = json!({ "pattern": "^(a+)+$" });
    assert_eq!(paths(&schema, &json!(format!("{}!", "a".repeat(100_000)))), [""], "and is answered at once");
    let around = problem(&json!({ "pattern": "^(?!secret).*$" }));
    assert!(around.to_string().contains("pattern") || around.to_string().contains("regex"), "it is named: {around}");
}

#[test]
fn a_value_that_would_take_for_ever_gets_a_short_answer() {
    // Two branches that both go into the same child: each level doubles what there is to tell.
    let branch = json!({ "properties": { "next": { "$ref": "#" } }, "required": ["end"] });
    let schema = json!({ "anyOf": [branch, branch, branch] });
    let mut value = json!({});
    for _ in 0..100 {
        value = json!({ "next": value });
    }
    let schema = compile(&schema).expect("recursion into the value is in order");
    let violations = schema.check(&value);
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert!(violations[0].message.contains("too large"), "{violations:?}");
    assert_eq!(schema.check(&json!({ "end": 1, "next": { "end": 2 } })), [], "what is right is right");
    let rows = json!({ "items": { "type": "integer" } });
    let found = compile(&rows).expect("it is a schema").check(&json!(vec!["x"; 1000]));
    assert_eq!(found.len(), 51, "fifty are told");
    assert_eq!(found[50].message, "and 950 more", "and the rest is counted");
}

#[test]
fn long_ways_through_a_schema_do_not_overflow_the_stack() {
    // Half a megabyte of stack stands for the smallest thread that may come this way.
    let small = std::thread::Builder::new().stack_size(512 << 10);
    let work = small.spawn(|| {
        let mut ways: serde_json::Map<_, _> = (0..3000)
            .map(|at| (format!("c{at}"), json!({ "properties": { "n": { "$ref": format!("#/$defs/c{}", at + 1) } } })))
            .collect();
        ways.insert("c3000".to_owned(), json!({ "type": "string" }));
        let schema = compile(&json!({ "$ref": "#/$defs/c0", "$defs": ways })).expect("each step goes into the value");
        let mut value = json!(1);
        for _ in 0..120 {
            value = json!({ "n": value });
        }
        assert_eq!(schema.check(&value), []);
        let chain: serde_json::Map<_, _> = (0..400)
            .map(|at| (format!("c{at}"), json!({ "$ref": format!("#/$defs/c{}", at + 1) })))
            .chain([("c400".to_owned(), json!({ "type": "string" }))])
            .collect();
        let schema = compile(&json!({ "$ref": "#/$defs/c0", "$defs": chain })).expect("a chain within the limit");
        assert_eq!(schema.check(&json!(1)).len(), 1);
    });
    work.expect("a thread starts").join().expect("the stack was large enough");
}

/// Something like a schema: real keywords, any nesting, often nonsense.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z#/$(]{0,8}".prop_map(Value::from),
        Just(json!("#/$defs/a")),
        Just(json!("string")),
    ];
    let keyword = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "anyOf",
        "allOf",
        "not",
        "$ref",
        "$defs",
        "a",
        "required",
        "pattern",
        "enum",
        "const",
        "$id",
        "$anchor",
        "$schema",
        "minimum",
        "if",
        "then",
        "additionalProperties",
        "prefixItems",
    ]);
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((keyword.clone(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schema_can_be_used_or_has_a_problem(schema in schema(), value in schema()) {
        match compile(&schema) {
            Ok(schema) => prop_assert!(schema.check(&value).len() <= 51, "what is told is bounded"),
            Err(problem) => prop_assert!(!problem.to_string().is_empty(), "a problem has a sentence"),
        }
    }
}
