//! The core from outside: layout, death, items, types, frontends, values.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

mod any_ref;
mod containers;
mod counts;
mod death;
mod events;
mod frontends;
mod functions;
mod items;
mod layout;
mod shares;
mod trim;
mod types;
mod unique;
mod values;
mod weak;
