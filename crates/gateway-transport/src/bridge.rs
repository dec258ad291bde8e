//! From one of the two traits to the other.
mod on_thread;

pub use self::on_thread::OnThread;
