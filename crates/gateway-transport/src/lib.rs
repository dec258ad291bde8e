//! Carries one HTTP request and its streaming response: pluggable, async and blocking.
