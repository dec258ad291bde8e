//! Conformance kit, scripted raw server, typed mocks and contract checks for the recruitment gateway.
