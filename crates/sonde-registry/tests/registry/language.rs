//! Text in JSON, YAML or TOML: one tree with lines, or a mistake with its place.

use sonde_registry::language::{
    DEEPEST, Document, LARGEST_FOREIGN, Language, MOST_FOREIGN_NODES, MOST_NODES, Object, SyntaxError, Value, decode,
};

fn parse(text: &str, language: Language) -> Object {
    match Document::parse(text, language) {
        Ok(Document { root, .. }) => root.value.as_object().unwrap().clone(),
        Err(error) => panic!("{}: {error}\n{text}", language.name()),
    }
}

fn refused(text: &str, language: Language) -> SyntaxError {
    Document::parse(text, language).expect_err("it can't be read")
}

#[test]
fn three_languages_say_the_same_thing() {
    let json = parse(
        "\u{feff}// c\n{\"a\": {\"t\": \"x\", \"n\": 12, \"f\": true, /* c */ \"l\": [\"1\", 2,],},}",
        Language::Json,
    );
    let yaml = parse("# c\na:\n  t: x\n  n: 12\n  f: true\n  l: ['1', 2]\n", Language::Yaml);
    let toml = parse("[a] # c\nt = 'x'\nn = 12\nf = true\nl = [\"1\", 2,]\n", Language::Toml);
    assert_eq!(json, yaml, "YAML");
    assert_eq!(json, toml, "TOML");
    for (language, line) in [(Language::Json, 2), (Language::Yaml, 4), (Language::Toml, 3)] {
        let text = match language {
            Language::Json => "{\n\"n\": 1}",
            Language::Yaml => "# 1\n# 2\n# 3\nn: 1",
            Language::Toml => "# 1\n\nn = 1",
        };
        let found = parse(text, language);
        let member = found.iter().next().unwrap();
        assert_eq!((member.line, member.node.line), (line, line), "{}", language.name());
    }
}

#[test]
fn words_of_yaml_mean_what_its_core_schema_says() {
    let text = "a: yes\nb: 1.10\nc: 0x1F\nd: ~\ne: !!str 80\nf: '80'\ng: 08\nh: .inf\ni: True\nj: -1e3\nk: |\n  x\n  # y\nl: >-\n  a\n  b\n";
    let found = parse(text, Language::Yaml);
    let text = |text: &str| Value::Text(text.to_owned());
    for (name, value) in [
        ("a", text("yes")),
        ("b", Value::Number("1.10".to_owned())),
        ("c", text("0x1F")),
        ("d", Value::Null),
        ("e", text("80")),
        ("f", text("80")),
        ("g", text("08")),
        ("h", text(".inf")),
        ("i", Value::Flag(true)),
        ("j", Value::Number("-1e3".to_owned())),
        ("k", text("x\n# y\n")),
        ("l", text("a b")),
    ] {
        assert_eq!(found.get(name).unwrap().value, value, "`{name}`");
    }
}

#[test]
fn a_mistake_is_shown_where_it_is() {
    let text =
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\"\n      \"args\": []\n    }\n  }\n}";
    let error = refused(text, Language::Json);
    assert_eq!((error.line, error.column), (4, 23), "after the value that has no comma: {error}");
    assert!(error.problem.contains("comma") && error.mistakes[0].contains("comma"), "{error:?}");
    let shown: Vec<_> = error.context.iter().map(|line| (line.number, line.caret)).collect();
    assert_eq!(shown, [(2, None), (3, None), (4, Some(22)), (5, None), (6, None)], "the lines around it");
    assert_eq!(error.context[2].text, "      \"command\": \"npx\"");
    for (text, language, line, words) in [
        ("{'a': 1}", Language::Json, 1, "single quotation mark"),
        ("{a: 1}", Language::Json, 1, "in quotation marks"),
        ("{\"a\": \"C:\\dir\"}", Language::Json, 1, "escape"),
        ("{\"a\": \"x\n\"}", Language::Json, 1, "does not end"),
        ("{\"a\": [1, 2}", Language::Json, 1, "bracket"),
        ("{\"a\": 1", Language::Json, 1, "not closed"),
        ("{\"a\": tru}", Language::Json, 1, "means nothing"),
        ("/* a", Language::Json, 1, "comment"),
        ("{// \"\n\"a\": /* \" * */ 1,\n\"b: 2}", Language::Json, 3, "does not end"),
        ("", Language::Json, 1, "nothing"),
        ("a: b\n\tc: d\n", Language::Yaml, 1, "tab"),
        ("a: [1\nb: 2\n", Language::Yaml, 2, ""),
        ("a: b: c\n", Language::Yaml, 1, ""),
        ("? [a]\n: b\n", Language::Yaml, 1, "name of a member"),
        ("a: *nobody\n", Language::Yaml, 1, ""),
        ("a: 1\n---\nb: 1\n", Language::Yaml, 2, "second document"),
        ("a = \n", Language::Toml, 1, ""),
        ("[a\nb = 1\n", Language::Toml, 1, ""),
        ("a = C:\\x\n", Language::Toml, 1, ""),
    ] {
        let error = refused(text, language);
        assert_eq!(error.line, line, "{} `{text}`: {error}", language.name());
        assert!(error.problem.contains(words), "{} `{text}`: {error}", language.name());
        assert!(!error.context.is_empty(), "`{text}` is shown");
    }
}

#[test]
fn a_long_line_is_shown_around_its_mistake_and_secrets_are_not_shown() {
    let text = format!("{{\"a\": \"{}\" oops}}", "x ".repeat(5000));
    let error = refused(&text, Language::Json);
    let line = &error.context[0];
    assert!(line.text.chars().count() <= 102, "cut: {}", line.text);
    let caret = line.caret.unwrap() as usize;
    assert!(line.text.chars().skip(caret).collect::<String>().trim_start().starts_with("oops"), "{line:?}");
    for secret in ["sk-abcdef123456", "hunter2", "eyJhbGciOiJIUzI1NiJ9.e30.x", "0123456789abcdef0123456789abcdef"] {
        for text in [
            format!("{{\n\"env\": {{\"API_KEY\": \"{secret}\" \"X\": 1}}}}"),
            format!("{{\"headers\": {{\n\"Authorization\": \"Bearer {secret}\n}}}}"),
            format!("{{\"args\": [\"--token={secret}\" oops]}}"),
            format!("{{\"args\": [\"--token\", \"{secret}\" oops]}}"),
        ] {
            let error = refused(&text, Language::Json);
            assert!(!format!("{error:?}").contains(secret), "{error:?}");
        }
    }
    let error = refused("{\"command\": \"npx\" \"args\": [\"@scope/server-everything\"]}", Language::Json);
    assert!(error.context[0].text.contains("@scope/server-everything"), "what is no secret is shown: {error:?}");
}

#[test]
fn what_stands_twice_is_named_with_both_lines() {
    for (text, language) in
        [("{\"a\": 1,\n\"b\": {\"c\": 1,\n\"c\": 2}}", Language::Json), ("a: 1\nb:\n  c: 1\n  c: 2\n", Language::Yaml)]
    {
        let found = parse(text, language);
        let (way, twice) = found.first_twice().unwrap();
        assert_eq!((&*way, twice.second - twice.first), ("b.c", 1), "{}", language.name());
        let last = found.get("b").unwrap().value.as_object().unwrap().get("c").unwrap();
        assert_eq!(last.value, Value::Number("2".to_owned()), "as other programs read it");
    }
    for text in ["a = 1\nb = 2\na = 3\n", "[s.a]\nx = 1\n[s.a]\ny = 2\n"] {
        let error = refused(text, Language::Toml);
        assert_eq!(error.line, 3, "{error}");
        assert!(error.problem.contains("`a` is there twice: in line 1"), "{error}");
    }
}

#[test]
fn depth_and_number_of_values_have_a_limit() {
    let nested = |depth: usize, open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    assert!(Document::parse(&nested(DEEPEST, "[", "]"), Language::Json).is_ok(), "this deep is fine");
    for text in [nested(DEEPEST + 1, "[", "]"), nested(DEEPEST + 1, "{\"a\":", "}"), "[".repeat(200_000)] {
        let error = refused(&text, Language::Json);
        assert!(error.problem.contains("within each other"), "{error}");
    }
    assert!(Document::parse(&nested(DEEPEST, "[", "]"), Language::Yaml).is_ok(), "this deep is fine");
    refused(&nested(DEEPEST + 1, "[", "]"), Language::Yaml);
    refused(&"[".repeat(200_000), Language::Yaml);
    refused(&"- ".repeat(20_000), Language::Yaml);
    refused(&format!("a = {}", nested(DEEPEST + 1, "[", "]")), Language::Toml);
    refused(&format!("a = {}", "[".repeat(200_000)), Language::Toml);
    refused(&format!("{}a = 1", "a.".repeat(5000)), Language::Toml);
    let many = format!("[{}1]", "1,".repeat(MOST_NODES));
    assert!(refused(&many, Language::Json).problem.contains("values"));
    assert!(refused(&many, Language::Yaml).problem.contains("values"));
    assert!(refused(&" ".repeat(5 << 20), Language::Json).problem.contains("bytes"), "too long");
}

#[test]
fn the_caret_stands_below_the_mistake_also_behind_wide_characters() {
    let error = refused("{\"日本語\": oops}", Language::Json);
    let line = error.context.first().unwrap();
    assert_eq!(line.caret, Some(11), "three characters take two columns each: {line:?}");
    assert_eq!(error.column, 9, "the column counts characters, as editors do: {error}");
    let error = refused("a:\n\t- x\n", Language::Yaml);
    assert!(error.context.iter().any(|line| line.text.contains('→')), "a tab can be seen: {error:?}");
}

#[test]
fn a_mistake_that_can_be_seen_is_the_one_that_is_named() {
    for (text, cause) in [
        ("{“a”: 1}", "curly"),
        ("{\"a\": “b”}", "curly"),
        ("{\"a\": True}", "small letters"),
        ("{\"a\": None}", "small letters"),
        ("", "the least that it can say"),
    ] {
        let error = refused(text, Language::Json);
        assert!(error.mistakes.iter().any(|mistake| mistake.contains(cause)), "`{text}`: {:?}", error.mistakes);
    }
}

#[test]
fn a_text_of_another_client_may_be_long_but_not_without_end() {
    let history = format!(r#"{{"history":["{}"],"mcpServers":{{"a":{{"command":"x"}}}}}}"#, "h".repeat(10 << 20));
    let read = Document::parse_foreign(&history, Language::Json).unwrap();
    assert!(read.root.value.as_object().unwrap().has("mcpServers"), "ten megabytes of history are no reason");
    assert!(refused(&history, Language::Json).problem.contains("bytes"), "one of ours has none");
    let many = format!("[{}1]", "1,".repeat(MOST_FOREIGN_NODES));
    for language in [Language::Json, Language::Yaml] {
        let error = Document::parse_foreign(&many, language).unwrap_err();
        assert!(error.problem.contains("values"), "{error}");
    }
    let long = " ".repeat(usize::try_from(LARGEST_FOREIGN).unwrap() + 1);
    assert!(Document::parse_foreign(&long, Language::Json).unwrap_err().problem.contains("bytes"));
}

#[test]
fn an_alias_of_yaml_counts_as_often_as_it_repeats() {
    let text = "base: &b {command: x, args: [1]}\nservers:\n  a: *b\n  *n : 1\n";
    refused(text, Language::Yaml);
    let found = parse("base: &b {command: x}\nservers: {a: *b, c: *b}\n", Language::Yaml);
    let servers = found.get("servers").unwrap().value.as_object().unwrap();
    assert_eq!(servers.get("a"), servers.get("c"), "an alias is what it stands for");
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(",")));
    }
    let error = refused(&bomb, Language::Yaml);
    assert!(error.problem.contains("values"), "{error}");
    let layers: String = (0..60).map(|level| format!("&a{level} [")).collect();
    let nested = format!("{layers}{}{}", "x,".repeat(100_000), "]".repeat(60));
    let error = refused(&nested, Language::Yaml);
    assert!(error.problem.contains("aliases"), "each of sixty anchors would keep all of it: {error}");
    let many: String = (0..1001).map(|number| format!("k{number}: &a{number} 1\n")).collect();
    assert!(refused(&many, Language::Yaml).problem.contains("aliases"));
}

#[test]
fn the_beginning_of_a_text_says_what_it_is_written_in() {
    for (text, language) in [
        ("{}", Language::Json),
        ("", Language::Json),
        ("// x\n{}", Language::Json),
        ("\"a\": {\"command\": \"x\"}", Language::Json),
        ("[\"a\"]", Language::Json),
        ("[{\"name\": \"a\"}]", Language::Json),
        ("[mcp_servers.a]\ncommand = 'x'", Language::Toml),
        ("[[mcp_servers]]", Language::Toml),
        ("# x\n\nmodel = \"o\"", Language::Toml),
        ("mcpServers:\n  a: 1", Language::Yaml),
        ("# x\nmcp:\n", Language::Yaml),
        ("- name: a", Language::Yaml),
        ("url: https://x/?a=b", Language::Yaml),
    ] {
        assert_eq!(Language::guess(text), language, "`{text}`");
    }
}

#[test]
fn a_file_saved_as_utf_16_is_read_and_other_bytes_are_not() {
    let text = "{\"é\": 1}";
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect::<Vec<u8>>()
    };
    assert_eq!(decode(utf16(u16::to_le_bytes)).as_deref(), Some(text));
    assert_eq!(decode(utf16(u16::to_be_bytes)).as_deref(), Some(text));
    assert_eq!(decode(text.as_bytes().to_vec()).as_deref(), Some(text));
    for bytes in [vec![0xff, 0xfe, 0x00], vec![0xff, 0xfe, 0x00, 0xd8], vec![0xc3, 0x28]] {
        assert_eq!(decode(bytes.clone()), None, "{bytes:?}");
    }
}
