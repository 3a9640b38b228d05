//! Lines no server should write, and ways of writing good ones that no reader should notice.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use hostile::script::{self, Line};

use crate::options::Options;
use crate::peer::{self, Act, number, serve, serve_and_go, tool};
use crate::wire::Wire;

/// S12. A banner, and text before and after every answer.
pub fn banners(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    wire.out.line("Welcome to the hostile server!")?;
    serve(wire, |wire, message| {
        wire.out.line(&format!("[debug] got {}", message.method))?;
        Ok(Act::Ordinary)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// S13, S14, S15. `go` sends the lines of the case's script. S14 as `utf16` answers nothing but UTF-16.
pub fn scripted(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    if options.variant == "utf16" {
        return utf16(wire);
    }
    let marks = options.case == "S14";
    serve(wire, |wire, message| {
        if marks && message.id.is_some() {
            // The mark and the answer behind it are one line.
            wire.out.write(script::BYTE_ORDER_MARK)?;
        }
        if tool(message) == Some("go") {
            if marks {
                wire.out.write(b"\n")?;
            }
            for Line { bytes, .. } in script::lines(&options.case) {
                wire.out.write(&[&bytes, b"\n".as_slice()].concat())?;
            }
            if let Some(id) = &message.id {
                peer::text(wire, id, "gone")?;
            }
            return Ok(Act::Done);
        }
        Ok(Act::Ordinary)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What a shell on Windows makes of a server's output.
fn utf16(wire: &mut Wire) -> io::Result<ExitCode> {
    while let Some(message) = wire.next()? {
        let Some(id) = message.id else { continue };
        let answer = peer::handshake("2025-11-25", &serde_json::json!({}));
        let line = format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{answer}}}\r\n");
        let bytes: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
        wire.out.write(&bytes)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// S16. `go {gap_us}` sends one message split at every place, and once byte by byte.
pub fn dribble(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, _, arguments| {
        let line = format!("{}\n", script::SPLIT_MESSAGE).into_bytes();
        let gap = Duration::from_micros(number(arguments, "gap_us", 200));
        for place in 0..=line.len() {
            let (first, second) = line.split_at(place);
            wire.out.write(first)?;
            std::thread::sleep(gap);
            wire.out.write(second)?;
        }
        for byte in &line {
            wire.out.write(&[*byte])?;
            std::thread::sleep(gap * 20);
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// S17. `go` sends two hundred messages and the beginning of the next in one write.
pub fn one_write(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, _, _| {
        let all: String = (0..201).map(|number| format!("{}\n", script::numbered(number))).collect();
        // The last message is cut in its middle.
        let (first, second) = all.split_at(all.len() - 40);
        wire.out.write(first.as_bytes())?;
        std::thread::sleep(Duration::from_millis(20));
        wire.out.write(second.as_bytes())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// S18. `go {bytes}`: a message, a line of so many bytes, a message.
pub fn oversized_between(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, _, arguments| {
        wire.out.line(&script::numbered(1))?;
        wire.out.fill(b'x', number(arguments, "bytes", 1 << 20), |_| {})?;
        wire.out.write(b"\n")?;
        wire.out.line(&script::numbered(3))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// S19. The last message has no line feed, and then the server is gone.
pub fn unterminated(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |_, message| Ok(if tool(message) == Some("go") { Act::Leave } else { Act::Ordinary }))?;
    wire.out.write(script::numbered(19).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
