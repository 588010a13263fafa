//! Checks of separately built binaries before they share anything; `docs/abi.md` has the
//! guarantees.
//!
//! 1. **A table is not read before its [`Head`] was.** It gives the table's size, the interface's
//!    version, and which pairbond and which compiler the owner was built with. Tables grow at the
//!    end only, so a binary that needs more than the table has refuses it ([`Head::check_table`]),
//!    and one that needs less uses it.
//! 2. **Layouts that are not `repr(C)` are shared by binaries of one compiler only.** [`COMPILER`]
//!    is compared, and so is the shape of the library's own values ([`shapes`]).
//! 3. **Memory is given back to the heap that it came from.** Binaries share values that own memory
//!    of the global allocator, so they must have the same one ([`heap`]).
//! 4. **A type is shared when its layout is proved** ([`layout`](crate::layout), which stands below
//!    types: they show their layout when they are registered).

use std::fmt;

pub mod heap;
mod own;
pub mod shapes;
pub mod tables;

pub use crate::layout::{Layout, LayoutWriter, Origin, Text};

/// Version of everything that separately built binaries share: header, tables, custody protocol.
/// Entries that are added at the end of a table leave it as it is.
pub const ABI_VERSION: u32 = 1;

/// The version of this package.
#[cfg(not(pairbond_next_abi))]
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// For tests only: `--cfg pairbond_next_abi` makes a binary of the release after this one, whose
/// tables have one entry more.
#[cfg(pairbond_next_abi)]
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".99.0");

/// The compiler of this binary.
pub const COMPILER: &str = env!("PAIRBOND_COMPILER");

/// How every table begins that one binary reads and another owns. These fields are the same in all
/// versions.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Head {
    /// Bytes of the table.
    pub size: u32,
    /// [`ABI_VERSION`] of the owner.
    pub abi: u32,
    /// [`VERSION`] of the owner.
    pub version: Text,
    /// [`COMPILER`] of the owner.
    pub compiler: Text,
    /// The shape of values that are not `repr(C)`, in the owner's binary.
    pub shapes: u64,
}

impl Head {
    /// The head of a table of type `T` of this binary.
    #[must_use]
    pub const fn of<T>() -> Self {
        Head {
            size: size_of::<T>() as u32,
            abi: ABI_VERSION,
            version: Text::new(VERSION),
            compiler: Text::new(COMPILER),
            shapes: shapes::SHAPES,
        }
    }

    /// Whether this binary, which was built with a table of type `T`, can use one of the process
    /// that begins like this.
    ///
    /// # Errors
    /// What differs.
    pub fn check_table<T>(&self) -> Result<(), Unfit> {
        self.check_fits(&Head::of::<T>(), size_of::<T>())
    }

    /// Whether something that was `built` like that can use what begins like this, of which it
    /// needs so many bytes.
    fn check_fits(&self, built: &Head, size: usize) -> Result<(), Unfit> {
        let (ours, theirs) = (built.version.get(), self.version.get());
        if self.abi != built.abi || (self.size as usize) < size {
            return Err(Unfit::Version {
                built: ours,
                process: theirs,
                newer: self.abi > built.abi,
            });
        }
        if self.compiler.get() != built.compiler.get() {
            return Err(Unfit::Compiler {
                built: built.compiler.get(),
                process: self.compiler.get(),
                version: ours,
            });
        }
        if self.shapes != built.shapes {
            return Err(Unfit::Shape {
                built: ours,
                process: theirs,
            });
        }
        Ok(())
    }
}

/// Why two binaries cannot work together. The sentence goes on from the name of the one that was to
/// join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// Made by versions of pairbond that do not fit.
    Version {
        /// What the one that was to join was built with.
        built: &'static str,
        /// The process's.
        process: &'static str,
        /// Whether the process has the newer interface.
        newer: bool,
    },
    /// Made by different compilers.
    Compiler {
        /// Of the one that was to join.
        built: &'static str,
        /// The process's.
        process: &'static str,
        /// The version of pairbond that it was built with.
        version: &'static str,
    },
    /// The library's own values are laid out otherwise.
    Shape {
        /// What the one that was to join was built with.
        built: &'static str,
        /// The process's.
        process: &'static str,
    },
    /// Memory comes from different allocators.
    Heap,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Unfit::Version {
                built,
                process,
                newer: false,
            } => write!(
                f,
                "was built with pairbond {built}, and this process has pairbond {process}, which is too old for it: \
                 pip install --upgrade 'pairbond>={}'",
                pep440_version(built)
            ),
            Unfit::Version {
                built,
                process,
                newer: true,
            } => write!(
                f,
                "was built with pairbond {built}, and this process has pairbond {process}, which does not work with what was built for \
                 versions that old: install a newer version of it, or: pip install 'pairbond=={}'",
                pep440_version(built)
            ),
            Unfit::Compiler {
                built,
                process,
                version,
            } => write!(
                f,
                "was built by {built}, and the pairbond of this process by {process}, and values that both use are laid out by the \
                 compiler: build it again with that compiler, or pairbond with this one: \
                 pip install --force-reinstall --no-binary pairbond 'pairbond>={}'",
                pep440_version(version)
            ),
            Unfit::Shape { built, process } => write!(
                f,
                "was built with pairbond {built}, whose values are laid out otherwise than those of pairbond {process}, which this process \
                 has (other versions of the crates that pairbond uses, or other features of the processor): build it again with \
                 pairbond {process}, or: pip install 'pairbond=={}'",
                pep440_version(built)
            ),
            Unfit::Heap => f.write_str(
                "has an allocator of its own (#[global_allocator]), so that memory which it shares with pairbond would be given back to another than \
                 it came from: remove it from the extension",
            ),
        }
    }
}

impl std::error::Error for Unfit {}

/// Whether this process can use a table that begins like this, which something else was built with.
/// The first version of the table had `first` bytes.
///
/// # Errors
/// What differs.
pub fn check_head(built: &Head, first: usize) -> Result<(), Unfit> {
    let process = Head {
        // What the table lacks of ours is looked for where it is used.
        size: first as u32,
        ..Head::of::<()>()
    };
    if (built.size as usize) < first {
        return Err(Unfit::Version {
            built: built.version.get(),
            process: VERSION,
            newer: true,
        });
    }
    process.check_fits(built, 0)
}

/// A version as Python writes it: `1.0.0-rc.1` is `1.0.0rc1`.
#[must_use]
pub fn pep440_version(version: &str) -> String {
    version
        .replace("-alpha.", "a")
        .replace("-beta.", "b")
        .replace("-rc.", "rc")
}

#[cfg(all(test, target_pointer_width = "64", not(pairbond_next_abi), not(loom)))]
mod tests {
    /// Version 1 of the interface: bytes of the types that cross. Tables with a
    /// [`Head`](super::Head), or whose size is in one, may grow, and the others stay as they are.
    #[test]
    fn what_crosses_stays_as_it_is() {
        macro_rules! wrong {
            ($fits:expr; $($t:ty = $size:literal),* $(,)?) => {{
                let fits: fn(usize, usize) -> bool = $fits;
                let all = [$((size_of::<$t>(), $size, stringify!($t))),*];
                let wrong = all.into_iter().filter(|(is, was, _)| !fits(*is, *was));
                wrong.map(|(is, was, name)| format!("{name} = {is}, and not {was}")).collect::<Vec<_>>()
            }};
        }
        let grown = wrong! {
            |is, was| is >= was;
            crate::runtime::RuntimeTable = 384, crate::types::TypeInfo = 512,
            crate::frontend::FrontendTable = 168,
        };
        let changed = wrong! {
            |is, was| is == was;
            super::Head = 48,
            super::Origin = 56,
            crate::layout::Part = 56,
            super::heap::Heap = 16,
            crate::object::Header = 24,
            crate::object::Prefix = 16,
            crate::object::Items = 32,
            crate::runtime::Allocation = 16,
            crate::memory::Allocator = 24,
            crate::memory::Count = 16,
            crate::types::FieldInfo = 160,
            crate::types::FieldDefault = 16,
            crate::types::Equality = 16,
            crate::types::Attribute = 56,
            crate::types::Members = 64,
            crate::types::Carrying = 40,
            crate::types::CarryTable = 40,
            crate::trace::Plan = 28,
            crate::trace::TracerTable = 32,
            crate::object::NodeType = 32,
            crate::frontend::Arguments = 32,
            crate::types::Signature = 96,
            crate::types::Parameter = 56,
            crate::event::Event = 48,
            crate::event::Observer = 24,
        };
        assert!(grown.is_empty() && changed.is_empty(), "{grown:#?} {changed:#?}");
    }
}
