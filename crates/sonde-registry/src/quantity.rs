//! Times and sizes as people write them.

use std::time::Duration;

/// Longer than anybody waits; it keeps sums of times from running over.
const LONGEST: f64 = 365.0 * 86_400.0;

/// `500ms`, `5s`, `2m`, `1h`; a bare number is seconds. None for anything else, nothing and too much included.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let seconds = number * scale;
    (seconds > 0.0 && seconds <= LONGEST).then(|| Duration::from_secs_f64(seconds))
}

/// `64MiB`, `1GiB`, `300kB`; a bare number is bytes.
pub fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "" | "B" => 1.0,
        "k" | "kB" => 1e3,
        "M" | "MB" => 1e6,
        "G" | "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let bytes = number * scale;
    // Beyond this not every whole number is one of these.
    (1.0..=9e15).contains(&bytes).then_some(bytes as u64)
}

fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_seconds_and_units_say_otherwise() {
        for (text, milliseconds) in [("500ms", 500), ("5s", 5000), ("2m", 120_000), ("1h", 3_600_000), ("0.5", 500)] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "0", "-1", "5 weeks", "1e3", "inf", "nan", "99999999999999h", "5s5"] {
            assert_eq!(parse_duration(text), None, "`{text}` is no time that anybody waits");
        }
    }

    #[test]
    fn sizes_have_units_of_a_thousand_and_of_1024() {
        for (text, bytes) in [("7", 7), ("64MiB", 64 << 20), ("1 GiB", 1 << 30), ("300kB", 300_000), ("1.5KiB", 1536)] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "0", "MiB", "-5", "5 lines", "99999999999999999999"] {
            assert_eq!(parse_size(text), None, "`{text}` is no size");
        }
    }
}
