//! [`Name`]: a name of a text that outlives the part of it that is in memory.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use crate::room::boxed_bytes;

/// How long names are that need no memory of their own.
const SHORT: usize = 22;

/// A name, as key of tables that are asked with bytes.
pub(super) enum Name {
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl Name {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Name::Short(length, bytes) => &bytes[..usize::from(*length)],
            Name::Long(bytes) => bytes,
        }
    }
}

impl Clone for Name {
    fn clone(&self) -> Self {
        match self {
            Name::Short(length, bytes) => Name::Short(*length, *bytes),
            Name::Long(bytes) => Name::Long(boxed_bytes(bytes)),
        }
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        match name.len() {
            length @ ..=SHORT => {
                let mut bytes = [0; SHORT];
                bytes[..length].copy_from_slice(name.as_bytes());
                Name::Short(length as u8, bytes)
            }
            _ => Name::Long(boxed_bytes(name.as_bytes())),
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.as_bytes()))
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}
