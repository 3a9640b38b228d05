//! A server that plays one hostile case: `hostile-server --case ID [--variant NAME] [--seed N] [--tally FOLDER]`.
//!
//! Written by hand with blocking calls, so that it is fast and can break every rule a protocol library would keep. It
//! shakes hands like any server and does its mischief when the tool `go` is called, unless the mischief is in the
//! handshake. What it writes is counted in the tally folder, so that the log can be held against it. The cases of HTTP
//! are served by `http.rs`, over sockets instead of the three pipes.
//! Start reading at [`PARTS`], then `peer.rs` for the well-behaved half.

mod floods;
mod handshakes;
mod http;
mod lines;
mod lists;
mod messages;
mod options;
mod parrot;
mod peer;
mod processes;
mod tally;
mod wire;

use std::io;
use std::process::ExitCode;

use options::Options;
use wire::Wire;

/// One case as the server plays it.
type Part = fn(&Options, &mut Wire) -> io::Result<ExitCode>;

/// Every case of the list, and after them the roles that cases need beside their own.
const PARTS: &[(&str, Part)] = &[
    ("S1", processes::never_reads),
    ("S2", floods::endless_line),
    ("S3", floods::endless_stderr),
    ("S4", processes::tree),
    ("S5", processes::tree),
    ("S6", processes::tree),
    ("S7", processes::drifting_tree),
    ("S8", processes::stubborn),
    ("S9", processes::exits),
    ("S10", processes::exits),
    ("S11", processes::closes_its_output),
    ("S12", lines::banners),
    ("S13", lines::scripted),
    ("S14", lines::scripted),
    ("S15", lines::scripted),
    ("S16", lines::dribble),
    ("S17", lines::one_write),
    ("S18", lines::oversized_between),
    ("S19", lines::unterminated),
    ("S20", processes::tells_what_it_got),
    ("S21", peer::healthy),
    ("S22", processes::tells_what_it_got),
    ("S23", peer::healthy),
    ("S24", processes::tells_what_it_got),
    ("S25", peer::healthy),
    ("S26", processes::exits),
    ("S27", peer::healthy),
    ("H1", http::serve),
    ("H2", http::serve),
    ("H3", http::serve),
    ("H4", http::serve),
    ("H5", http::serve),
    ("H6", http::serve),
    ("H7", http::serve),
    ("H8", http::serve),
    ("H9", http::serve),
    ("H10", http::serve),
    ("H11", http::serve),
    ("H12", http::serve),
    ("H13", http::serve),
    ("H14", http::serve),
    ("H15", http::serve),
    ("H16", http::serve),
    ("H17", http::serve),
    ("E1", http::serve),
    ("E2", http::serve),
    ("E3", http::serve),
    ("E4", http::serve),
    ("E5", http::serve),
    ("E6", http::serve),
    ("E7", http::serve),
    ("E8", http::serve),
    ("E9", http::serve),
    ("E10", http::serve),
    ("E11", http::serve),
    ("E12", http::serve),
    ("J1", messages::stray_answers),
    ("J2", messages::games_with_ids),
    ("J3", messages::broken_answers),
    ("J4", messages::scripted_for_id),
    ("J5", messages::batches),
    ("J6", messages::twin_ids),
    ("J7", handshakes::asks_at_the_wrong_time),
    ("J8", floods::messages),
    ("J9", messages::odd_errors),
    ("J10", messages::deep_results),
    ("J11", messages::scripted_for_id),
    ("J12", lists::large),
    ("J13", lists::cursors),
    ("J14", lists::schemas),
    ("J15", lists::schemas),
    ("J16", messages::base64_results),
    ("P1", handshakes::odd_versions),
    ("P2", handshakes::late_answers),
    ("P4", handshakes::lies_about_capabilities),
    ("P6", messages::every_phase),
    ("P7", handshakes::any_phase),
    ("P8", peer::healthy),
    ("P9", floods::progress_for_ever),
    ("I1", peer::healthy),
    ("I2", peer::healthy),
    ("C1", peer::healthy),
    ("C2", peer::healthy),
    ("C3", peer::healthy),
    ("C4", peer::healthy),
    ("C5", processes::tells_what_it_got),
    ("C6", peer::healthy),
    ("C7", peer::healthy),
    ("C8", peer::healthy),
    ("C9", peer::healthy),
    ("C10", peer::healthy),
    ("X1", parrot::repeats),
    ("X2", http::serve),
    ("X3", peer::healthy),
    ("X4", parrot::repeats),
    ("X5", peer::healthy),
    ("X7", peer::healthy),
    ("X8", peer::healthy),
    ("healthy", peer::healthy),
    ("sleeper", processes::sleeper),
    ("drifter", processes::drifter),
    ("parrot", parrot::repeats),
];

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("hostile-server: {message}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    if options.list {
        PARTS.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    let Some((_, part)) = PARTS.iter().find(|(name, _)| *name == options.case) else {
        eprintln!("hostile-server: there is no case `{}`; --list names them all", options.case);
        return ExitCode::from(2);
    };
    let played = Wire::open(options.tally.as_deref()).and_then(|mut wire| part(&options, &mut wire));
    match played {
        Ok(code) => code,
        // The reader going away is how most cases end.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tally::complain(options.tally.as_deref(), &error.to_string());
            ExitCode::FAILURE
        }
    }
}
