//! The HTTP transports: Streamable HTTP, and HTTP with SSE as it was before.

mod remote;

pub use remote::{Dialect, Header, HttpLimits, Proxying, Remote, Trust};
