//! What a journey through the real window needs.
//!
//! Owns: a display, a driver and an app for each journey, folders that no one else sees, waiting, and the evidence that
//! a failed journey leaves in `target/e2e/`.
//! Must not know: what any journey is about.
//! Start reading at [`Journey`], then [`Window`].
//!
//! A journey never waits for time. [`Window::until`] looks again whenever the page changes, of which the root's
//! `data-revision` is the sign that everything up to that revision is shown; time only bounds how long that may take.

mod act;
mod axe;
mod binaries;
mod display;
mod evidence;
mod injection;
mod journey;
mod page;
mod place;
mod process;
mod remote;
mod window;

pub use act::{Act, tool};
pub use binaries::binary;
pub use injection::{Eyes, Injection, Payload, Sight, Trap};
pub use journey::Journey;
pub use page::Answer;
pub use process::{Identity, descendants, pss, still_alive};
pub use remote::{Demo, answering};
pub use window::Window;
