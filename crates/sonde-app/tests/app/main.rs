//! The API crate as its front doors see it. One module per subject; what needs a real server is in tests/integration.

mod bindings;
mod log;
