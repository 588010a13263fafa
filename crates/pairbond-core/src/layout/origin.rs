//! [`Origin`]: the crate that defines a type.

use super::Text;

/// The crate that defines a type, and a hash of its sources. The macros write it.
///
/// Where only the compiler knows how a type is laid out, two binaries have the same one if its
/// crate was compiled from the same sources with the same settings and the same dependencies.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Origin {
    krate: Text,
    version: Text,
    /// Hash of what the crate was compiled from: its sources, its features and other `cfg`s, the
    /// files and variables that it includes.
    digest: u64,
    /// Whether it depends on pairbond only, so that nothing else can change its types.
    closed: bool,
    /// Hash of the place of the definition.
    place: u64,
}

impl Origin {
    /// Of types that say nothing.
    pub const UNKNOWN: Origin = Origin::new("", "", 0, false);

    /// For the macros' expansions.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(krate: &'static str, version: &'static str, digest: u64, closed: bool) -> Self {
        Origin {
            krate: Text::new(krate),
            version: Text::new(version),
            digest,
            closed,
            place: 0,
        }
    }

    /// With the place of a definition in the sources, by which it differs from others of the same
    /// name: a function may define several.
    #[doc(hidden)]
    #[must_use]
    pub const fn at_position(mut self, module: &str, line: u32, column: u32) -> Self {
        let mut hash = self.digest;
        let module = module.as_bytes();
        let mut at = 0;
        while at < module.len() {
            hash = (hash ^ module[at] as u64).wrapping_mul(0x100_0000_01b3);
            at += 1;
        }
        hash = (hash ^ line as u64).wrapping_mul(0x100_0000_01b3);
        self.place = (hash ^ column as u64).wrapping_mul(0x100_0000_01b3);
        self
    }

    /// The crate's name; empty when it is not known.
    #[must_use]
    pub fn krate(&self) -> &'static str {
        self.krate.get()
    }

    /// The crate's version.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.version.get()
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    pub(crate) fn place_hash(&self) -> u64 {
        self.place
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// `demo 0.1.0`
    #[must_use]
    pub fn describe(&self) -> String {
        match self.krate() {
            "" => "an unknown crate".to_owned(),
            krate => format!("{krate} {}", self.version()),
        }
    }
}
