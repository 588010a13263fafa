//! The core from outside: layout, death, items, types, frontends, values.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

mod death;
mod frontends;
mod functions;
mod items;
mod layout;
mod types;
mod unique;
mod values;
mod weak;
