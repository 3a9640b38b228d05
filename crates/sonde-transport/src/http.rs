//! The HTTP transports: Streamable HTTP, and HTTP with SSE as it was before.

mod mask;
mod remote;

pub use mask::{mask_header, shown_address, shown_url};
pub use remote::{Dialect, Header, HttpLimits, Proxying, Remote, Trust};
