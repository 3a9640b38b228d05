//! A server whose words are spoken by a test: `relay SOCKET` passes its standard input to a socket and what comes from
//! the socket to its standard output, byte for byte. It is its own supervisor, too.

use std::process::ExitCode;

use sonde_transport::run_supervisor;

fn main() -> ExitCode {
    if let Some(code) = run_supervisor() {
        return code;
    }
    match relay() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
fn relay() -> std::io::Result<()> {
    use std::io::{Read, Write};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;

    let path = std::env::args().nth(1).ok_or_else(|| std::io::Error::other("relay SOCKET"))?;
    let mut socket = UnixStream::connect(path)?;
    let mut writer = socket.try_clone()?;
    let inbound = std::thread::spawn(move || {
        let copied = std::io::copy(&mut std::io::stdin(), &mut writer);
        // The test sees that its client closed our input.
        writer.shutdown(Shutdown::Write).and(copied.map(drop))
    });
    let mut chunk = [0; 64 << 10];
    let mut stdout = std::io::stdout();
    loop {
        let size = socket.read(&mut chunk)?;
        if size == 0 {
            break;
        }
        stdout.write_all(chunk.get(..size).unwrap_or_default())?;
        stdout.flush()?;
    }
    // The test hung up: so do we, whether our input is open or not.
    drop(inbound);
    Ok(())
}

#[cfg(not(unix))]
fn relay() -> std::io::Result<()> {
    Err(std::io::Error::other("the tests that use this are for Unix"))
}
