//! The walk: all objects that can be found, with their references and the names of the fields that
//! hold them.

use std::collections::HashMap;
use std::ffi::c_void;

use super::{Globals, Language};
use crate::error::{Error, ErrorKind};
use crate::memory::try_push;
use crate::object::objects_table;
use crate::object::{Header, Holder, State};
use crate::sync::CellLock;
use crate::trace::TracerTable;
use crate::types::registered_types;
use crate::types::{TypeFlags, TypeInfo};

/// One object.
pub(super) struct Node {
    pub(super) info: &'static TypeInfo,
    pub(super) state: State,
    /// References to its wrapper that are not its own, when its language could say.
    pub(super) wrapper: Option<usize>,
    /// Strong references that objects show.
    pub(super) shown: u64,
    /// The name under which the process knows it as a function.
    pub(super) global: Option<String>,
}

/// A reference, and the field that holds it if known.
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) field: Option<&'static str>,
}

/// All living objects.
#[derive(Default)]
pub(super) struct Alive {
    pub(super) nodes: Vec<Node>,
    /// By the node that they come from.
    pub(super) edges: Vec<Edge>,
    /// Objects that no list shows and without a known holder, by type.
    pub(super) unseen: Vec<(&'static TypeInfo, usize)>,
    index: HashMap<usize, u32>,
    /// There was no memory for some.
    is_full: bool,
}

struct Walk<'a> {
    alive: Alive,
    listed: Vec<*const Header>,
    language: &'a dyn Language,
}

impl Alive {
    /// # Errors
    /// There is no memory for that.
    pub(super) fn scan_heap(language: &dyn Language, globals: &Globals) -> Result<Alive, Error> {
        unsafe extern "C" fn visit_shard(walk: *mut c_void, objects: *const *mut Header, count: usize) {
            if count > 0 {
                // SAFETY: the walk below; the list's slice.
                unsafe {
                    let objects = std::slice::from_raw_parts(objects, count);
                    let walk = &mut *walk.cast::<Walk<'_>>();
                    match walk.listed.try_reserve(count) {
                        Ok(()) => walk
                            .listed
                            .extend(objects.iter().map(|object| object.cast_const())),
                        Err(_) => walk.alive.is_full = true,
                    }
                }
            }
        }
        unsafe extern "C" fn finish_walk(walk: *mut c_void) {
            // SAFETY: the walk below; the list is held, so everything on it is alive.
            unsafe { (*walk.cast::<Walk<'_>>()).visit_listed() }
        }
        let mut walk = Walk {
            alive: Alive::default(),
            listed: Vec::new(),
            language,
        };
        let mut attempt = 0;
        // SAFETY: the callbacks get the walk that they expect.
        while !unsafe { (objects_table().walk)((&raw mut walk).cast(), visit_shard, finish_walk) } {
            walk.listed.clear();
            walk.alive.is_full = false;
            crate::sync::relax_or_yield(attempt);
            attempt = attempt.saturating_add(1);
        }
        let mut alive = walk.alive;
        if alive.is_full {
            return Err(Error::new(
                ErrorKind::Memory,
                "there is no memory for a list of all objects",
            ));
        }
        alive.count_unseen();
        for (name, address) in globals.iter() {
            if let Some(node) = alive.index.get(&address) {
                let node = &mut alive.nodes[*node as usize];
                // The table's reference and the one that `globals` holds.
                node.shown += if node.global.is_none() { 2 } else { 1 };
                node.global = Some(name.to_owned());
            }
        }
        Ok(alive)
    }

    /// The number of an object. `None`: there is no memory.
    fn number_of(&mut self, object: &Header, language: &dyn Language) -> Option<u32> {
        let nodes = &mut self.nodes;
        if nodes.try_reserve(1).is_err() || self.index.try_reserve(1).is_err() {
            self.is_full = true;
            return None;
        }
        let number = self
            .index
            .entry(std::ptr::from_ref(object).addr())
            .or_insert_with(|| {
                let (state, pair) = (object.custody().state(), object.custody().pair());
                let wrapped =
                    !pair.wrapper().is_null() && state.holder() != Holder::Unwrapped && state.strong() > 0;
                nodes.push(Node {
                    info: object.info(),
                    state,
                    wrapper: wrapped
                        .then(|| language.reference_count(pair.tag(), pair.wrapper()))
                        .flatten()
                        .map(|all| all.saturating_sub(usize::from(state.holder() == Holder::Native))),
                    shown: 0,
                    global: None,
                });
                nodes.len() as u32 - 1
            });
        Some(*number)
    }

    fn count_unseen(&mut self) {
        let mut seen: HashMap<usize, usize> = HashMap::new();
        for node in &self.nodes {
            *seen.entry(node.info.index()).or_default() += 1;
        }
        let of_interest = |info: &&TypeInfo| !info.is_traced() && !info.flags().contains(TypeFlags::CONSTANT);
        for info in registered_types().into_iter().filter(of_interest) {
            let live = info.live_count().max(0).unsigned_abs();
            let unseen = live.saturating_sub(seen.get(&info.index()).copied().unwrap_or(0));
            if unseen != 0 {
                self.unseen.push((info, unseen));
            }
        }
    }
}

impl Walk<'_> {
    /// Nothing on the list is made or destroyed meanwhile.
    fn visit_listed(&mut self) {
        let Walk {
            alive,
            listed,
            language,
        } = self;
        for object in listed.iter() {
            // SAFETY: nothing on the list is destroyed meanwhile.
            alive.number_of(unsafe { &**object }, *language);
        }
        language.for_each_object(&mut |object| {
            alive.number_of(object, *language);
        });
        if alive.is_full {
            return;
        }
        for (from, object) in listed.iter().enumerate() {
            // SAFETY: nothing on the list is destroyed meanwhile.
            let object = unsafe { &**object };
            let info = object.info();
            let mut fields: HashMap<usize, &'static str> = HashMap::new();
            for field in info.fields() {
                if let Some(trace) = field.trace {
                    References::with_callback(&mut |target| {
                        // Without memory it has no name.
                        if fields.try_reserve(1).is_ok() {
                            fields.entry(std::ptr::from_ref(target).addr()).or_insert(field.name);
                        }
                    })
                    // SAFETY: a field of a living value; the table may be called.
                    .visit_references(|table| unsafe { trace(object.value_ptr().add(field.offset), table) });
                }
            }
            References::with_callback(&mut |target| {
                let Some(to) = alive.number_of(target, *language) else {
                    return;
                };
                alive.nodes[to as usize].shown += 1;
                let field = fields.get(&std::ptr::from_ref(target).addr()).copied();
                let from = from as u32;
                alive.is_full |= try_push(&mut alive.edges, Edge { from, to, field }).is_err();
            })
            // SAFETY: a living object; the table may be called.
            .visit_references(|table| unsafe { info.trace_object(object, table) });
        }
    }
}

/// Shows the references of one object. Mutable fields stay locked until all were seen, so that
/// their values are alive meanwhile.
struct References<'a> {
    each: &'a mut dyn FnMut(&Header),
    locks: Vec<*const CellLock>,
}

impl<'a> References<'a> {
    fn with_callback(each: &'a mut dyn FnMut(&Header)) -> Self {
        References {
            each,
            locks: Vec::new(),
        }
    }

    fn visit_references(mut self, trace: impl FnOnce(&TracerTable)) {
        unsafe extern "C" fn on_edge(this: *mut c_void, target: *const Header) {
            // SAFETY: the references below, and a living object.
            unsafe { ((*this.cast::<References<'_>>()).each)(&*target) }
        }
        unsafe extern "C" fn on_foreign(_: *mut c_void, _: u16, _: *mut c_void) {}
        unsafe extern "C" fn on_lock(this: *mut c_void, lock: *const CellLock) -> bool {
            // SAFETY: as above; the lock is in the object.
            unsafe {
                let locks = &mut (*this.cast::<References<'_>>()).locks;
                // Without memory it counts as one that another thread has.
                let got = locks.try_reserve(1).is_ok() && (*lock).try_lock();
                if got {
                    locks.push(lock);
                }
                got
            }
        }
        trace(&TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: (&raw mut self).cast(),
        });
        for lock in self.locks {
            // SAFETY: locked above, in an object that is alive.
            unsafe { (*lock).unlock() }
        }
    }
}
