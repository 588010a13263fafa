//! Which texts are names already, and which others are made of them: as MLIR does it.

use crate::room::Room;
use std::collections::HashSet;
use std::fmt::Write;

/// The names that are seen from a region: its own and those around it.
struct Scope {
    outer: usize,
    names: HashSet<Box<str>>,
}

/// The names of a tree so far, by the regions they are seen in.
pub(super) struct Used {
    scopes: Vec<Scope>,
    /// The region that is named now.
    here: usize,
    /// Behind the next name that is taken.
    next: u32,
}

impl Default for Used {
    fn default() -> Self {
        let names = HashSet::new();
        Used {
            scopes: vec![Scope { outer: 0, names }],
            here: 0,
            next: 0,
        }
    }
}

impl Used {
    /// Goes on in a region inside another; where it is.
    pub(super) fn open_scope(&mut self, outer: usize) -> usize {
        let names = HashSet::new();
        self.scopes.room().push(Scope { outer, names });
        self.here = self.scopes.len() - 1;
        self.here
    }

    /// A name like this one that nothing seen from here has.
    pub(super) fn unique_name(&mut self, like: &str) -> Box<str> {
        let like = sanitize_name(like);
        let mut name = like.clone();
        while self.is_taken(&name) {
            name = format!("{like}_{}", self.next);
            self.next += 1;
        }
        let name: Box<str> = name.into();
        self.scopes[self.here].names.room().insert(name.clone());
        name
    }

    fn is_taken(&self, name: &str) -> bool {
        let mut at = self.here;
        loop {
            let scope = &self.scopes[at];
            if scope.names.contains(name) {
                return true;
            }
            if at == 0 {
                return false;
            }
            at = scope.outer;
        }
    }
}

/// Makes a text that is parsed as one name: other characters are written by their codes.
fn sanitize_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    if name.starts_with(|it: char| it.is_ascii_digit()) {
        out.push('_');
    }
    for byte in name.bytes() {
        match byte {
            b' ' => out.push('_'),
            b'$' | b'.' | b'_' | b'-' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => write!(out, "{byte:X}").expect("a String takes all"),
        }
    }
    out
}
