//! The pipes of a server, our ends of them.

use tokio::net::unix::pipe;

/// The way to a server's input, for whoever writes and in turns: the order is the callers' business.
#[derive(Debug)]
pub(crate) struct Stdin(pipe::Sender);
pub(crate) type Stdout = pipe::Receiver;
pub(crate) type Stderr = pipe::Receiver;

impl Stdin {
    pub(super) fn new(pipe: pipe::Sender) -> Self {
        Stdin(pipe)
    }

    /// Writes what the pipe takes at once.
    pub fn try_write(&self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.try_write(bytes)
    }

    /// Waits until something can be written.
    pub async fn write(&self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            self.0.writable().await?;
            match self.0.try_write(bytes) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                other => return other,
            }
        }
    }
}

/// Makes the pipe of a server that writes long lines larger: fewer turns between the two. What the system refuses
/// is not needed.
pub(crate) fn enlarge(pipe: &Stdout) {
    #[cfg(target_os = "linux")]
    rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20).ok();
    #[cfg(not(target_os = "linux"))]
    let _unchanged = pipe;
}
