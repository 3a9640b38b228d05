//! Codes are stored by their slugs, so slugs must not collide or be lost.

use std::collections::HashSet;

use sonde_protocol::{Code, Revision};

#[test]
fn every_code_has_a_slug_of_its_own_that_leads_back_to_it() {
    let slugs: HashSet<&str> = Code::ALL.iter().map(|code| code.slug()).collect();
    assert_eq!(slugs.len(), Code::ALL.len(), "two codes with one slug would be one code on disk");
    for code in Code::ALL {
        assert_eq!(Code::from_slug(code.slug()), Some(*code), "what is stored can be read again");
        let plain = code.slug().bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        assert!(plain, "`{}` can be typed into a filter", code.slug());
    }
    assert_eq!(Code::from_slug("no-such-code"), None, "a log of a newer Sonde may have codes that we do not know");
}

#[test]
fn revisions_are_matched_exactly() {
    for revision in Revision::ALL {
        assert_eq!(Revision::parse(revision.as_str()), Some(*revision));
    }
    for stranger in ["", "2025-11-25 ", "2025-11-26", "1.0", "2025-11-25\0"] {
        assert_eq!(Revision::parse(stranger), None, "`{stranger}` is none of ours");
    }
}
