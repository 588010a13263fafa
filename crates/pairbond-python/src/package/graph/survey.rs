//! The walk: breadth first, so that the path by which an object is met first is a shortest one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;

use pairbond_core::error::Error;
use pairbond_core::leaks::{By, Counts, Reference, each_reference};
use pairbond_core::memory::{Gather, Grow, Room, filled_vec};
use pairbond_core::object::{ByAddress, ErasedRef, is_erased};
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::errors::take;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

/// Attributes have their names up to this many objects: to read them, CPython has to make a dict of
/// attributes that lie inside of their object.
const NAMED: usize = 10_000;

/// An object that is held while it is visited.
enum Item {
    Native(ErasedRef),
    Python(Owned),
}

/// One object.
pub(super) struct Point {
    pub(super) native: bool,
    /// Its type: a number for `text`.
    pub(super) name: u32,
    pub(super) address: usize,
    /// It has a wrapper of this interpreter, or is a Python object.
    pub(super) wrapped: bool,
    pub(super) erased: bool,
    /// Strong references before the walk, and those that it has met; likewise references to the
    /// wrapper or Python object.
    strong: u64,
    shown: u64,
    references: usize,
    met: usize,
    /// It belongs into the picture.
    pub(super) kept: bool,
}

impl Point {
    /// Native references that no object of the picture owns.
    pub(super) fn native_references(&self) -> usize {
        self.strong.saturating_sub(self.shown) as usize
    }

    /// References to the wrapper, or to the Python object, that nothing in the picture owns.
    pub(super) fn python_references(&self) -> usize {
        self.references.saturating_sub(self.met)
    }

    /// It has a wrapper that nothing but its object refers to.
    pub(super) fn is_dormant(&self) -> bool {
        self.native && self.wrapped && self.references == 0
    }
}

/// One reference.
pub(super) struct Line {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) native: bool,
    pub(super) label: u32,
}

pub(super) struct Survey<'a> {
    interp: &'a Interp,
    items: Vec<Item>,
    pub(super) points: Vec<Point>,
    pub(super) lines: Vec<Line>,
    index: ByAddress<u32>,
    texts: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
    classes: ByAddress<u32>,
    get_referents: Owned,
    max_objects: usize,
    pub(super) complete: bool,
}

impl<'a> Survey<'a> {
    pub(super) fn new(interp: &'a Interp, max_objects: usize) -> Result<Self, Error> {
        let get_referents = {
            let gc = Owned::import(c"gc")?;
            gc.get_attr(c"get_referents")?
        };
        Ok(Survey {
            interp,
            items: Vec::new(),
            points: Vec::new(),
            lines: Vec::new(),
            index: ByAddress::default(),
            texts: Vec::new(),
            known: HashMap::new(),
            classes: ByAddress::default(),
            get_referents,
            max_objects,
            complete: true,
        })
    }

    /// Walks from an object, which becomes the first point.
    ///
    /// # Errors
    /// Python's.
    ///
    /// # Safety
    /// Attached; the object is alive during the call.
    pub(super) unsafe fn run(&mut self, root: *mut py::PyObject) -> Result<(), Error> {
        // SAFETY: attached; the object is alive during the call: the caller ensures it.
        unsafe { self.python(root)? };
        let mut at = 0;
        while at < self.items.len() {
            match &self.items[at] {
                Item::Native(object) => {
                    let object = object.clone();
                    self.look_at_native(at as u32, &object)?;
                    if let Some(own) = wrapper::existing_wrapper(object.as_borrow()) {
                        self.look_at_python(at as u32, &own)?;
                    }
                }
                Item::Python(object) => {
                    let object = object.clone();
                    self.look_at_python(at as u32, &object)?;
                }
            }
            at += 1;
        }
        self.count_references();
        self.select_python_objects();
        Ok(())
    }

    /// The text of a name or label.
    pub(super) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let number = self.texts.len() as u32;
        self.texts.room().push(text.into());
        self.known.room().insert(text.into(), number);
        number
    }

    fn add_edge(&mut self, from: u32, to: Option<u32>, native: bool, label: &str) {
        if let Some(to) = to {
            let label = self.intern(label);
            let line = Line {
                from,
                to,
                native,
                label,
            };
            self.lines.room().push(line);
            if !native || !self.points[to as usize].native {
                self.points[to as usize].met += 1;
            }
        }
    }

    /// The point of a native object, or `None` when there are as many as there may be.
    fn native(&mut self, object: ErasedRef, counts: Counts) -> Option<u32> {
        let address = std::ptr::from_ref(object.header()).addr();
        if let Some(known) = self.index.get(&address) {
            return Some(*known);
        }
        let name = self.intern(object.header().info().key());
        let point = Point {
            native: true,
            name,
            address,
            wrapped: counts.wrapped && object.header().custody().pair().tag() == self.interp.tag(),
            erased: is_erased(object.header()),
            strong: counts.strong,
            shown: 0,
            references: 0,
            met: 0,
            kept: true,
        };
        self.add(address, point, Item::Native(object))
    }

    fn add(&mut self, address: usize, point: Point, item: Item) -> Option<u32> {
        if self.items.len() >= self.max_objects {
            self.complete = false;
            return None;
        }
        let number = self.items.len() as u32;
        self.index.room().insert(address, number);
        self.items.room().push(item);
        self.points.room().push(point);
        Some(number)
    }

    /// The point of a Python object: of the native object, if it is a wrapper.
    ///
    /// # Safety
    /// Attached; a living object.
    unsafe fn python(&mut self, object: *mut py::PyObject) -> Result<Option<u32>, Error> {
        // SAFETY: attached; a living object: the caller ensures it.
        if let Some(native) = unsafe { wrapper::borrow(object) } {
            let counts = Counts::of_object(native.header());
            return Ok(self.native(native.to_ref(), counts));
        }
        if let Some(known) = self.index.get(&object.addr()) {
            return Ok(Some(*known));
        }
        // SAFETY: attached; a living object: the caller ensures it.
        let name = unsafe { self.class_name(py::Py_TYPE(object)) }?;
        let point = Point {
            native: false,
            name,
            address: object.addr(),
            wrapped: true,
            erased: false,
            strong: 0,
            shown: 0,
            references: 0,
            met: 0,
            kept: self.items.is_empty(),
        };
        // SAFETY: attached; a living object: the caller ensures it.
        Ok(self.add(
            object.addr(),
            point,
            Item::Python(unsafe { Owned::from_borrowed(object) }),
        ))
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
    unsafe fn class_name(&mut self, class: *mut py::PyTypeObject) -> Result<u32, Error> {
        if let Some(known) = self.classes.get(&class.addr()) {
            return Ok(*known);
        }
        // SAFETY: attached; the class of a living object, which this survey holds.
        let name = unsafe { crate::ffi::type_name(class) };
        let number = self.intern(&name);
        self.classes.room().insert(class.addr(), number);
        Ok(number)
    }

    fn look_at_native(&mut self, from: u32, object: &ErasedRef) -> Result<(), Error> {
        let (natives, foreigns) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let mut outcome = Ok(());
        let mut has_room = || {
            let reserve = || {
                natives.borrow_mut().try_reserve(1)?;
                foreigns.borrow_mut().try_reserve(1)
            };
            if outcome.is_ok() {
                outcome = reserve();
            }
            outcome.is_ok()
        };
        let tag = self.interp.tag();
        let owns_itself = each_reference(
            object.as_borrow(),
            &mut has_room,
            &mut |reference| match reference {
                Reference::Native { object, counts, by } => natives.borrow_mut().push((object, counts, by)),
                Reference::Foreign {
                    tag: of,
                    object,
                    field,
                } if of == tag => {
                    // SAFETY: attached to the object's interpreter; alive during the call.
                    foreigns
                        .borrow_mut()
                        .push((unsafe { Owned::from_borrowed(object.cast()) }, field));
                }
                // Of another interpreter: its objects are not ours to look at.
                Reference::Foreign { .. } => {}
            },
        );
        outcome?;
        self.points[from as usize].shown += u64::from(owns_itself);
        for (object, counts, by) in natives.into_inner() {
            let (label, owner) = match by {
                By::Field("") => (String::new(), None),
                By::Field(name) => (format!(".{name}"), None),
                By::Child { list, awake } => (format!(".{list}"), awake.then_some(from)),
                By::Parent => ("parent".to_owned(), None),
            };
            let Some(to) = self.native(object, counts) else {
                continue;
            };
            // What keeps a parent is counted when its child is met from above, or else here.
            match by {
                By::Field(_) => self.points[to as usize].shown += 1,
                By::Child { .. } => {
                    if let Some(parent) = owner {
                        self.points[parent as usize].shown += 1;
                    }
                }
                By::Parent => {}
            }
            self.add_edge(from, Some(to), true, &label);
        }
        for (object, field) in foreigns.into_inner() {
            let label = if field.is_empty() {
                String::new()
            } else {
                format!(".{field}")
            };
            // SAFETY: the thread is attached, and `object` is borrowed.
            let to = unsafe { self.python(object.as_ptr())? };
            if let Some(to) = to {
                self.points[to as usize].kept = true;
            }
            self.add_edge(from, to, true, &label);
        }
        Ok(())
    }

    /// Visits the references of a Python object. The attributes of an instance are its own, and not
    /// those of the dict in which they are.
    fn look_at_python(&mut self, from: u32, object: &Owned) -> Result<(), Error> {
        let it = object.as_ptr();
        // SAFETY: attached; a living object, looked into if it is a function, which keeps its
        // parts.
        let parts = unsafe {
            (py::PyFunction_Check(it) != 0).then(|| {
                // Not its module: only its closure, defaults and annotations.
                [py::PyFunction_GetClosure(it), py::PyFunction_GetDefaults(it)]
                    .map(|part| (!part.is_null()).then(|| Owned::from_borrowed(part)))
            })
        };
        if let Some(parts) = parts {
            for part in parts.into_iter().flatten() {
                for found in self.referents(&part)? {
                    self.visit_referent(from, &found, "")?;
                }
            }
            return Ok(());
        }
        if is_plain_dict(object) {
            return self.entries(from, object, |key| format!("[{key}]"), &mut ByAddress::default());
        }
        // SAFETY: attached; a living object.
        if unsafe { py::PyList_CheckExact(it) != 0 || py::PyTuple_CheckExact(it) != 0 } {
            // SAFETY: attached; a new list or null.
            let items = unsafe { list_items(running::PySequence_List(it)) }?;
            for (at, found) in items.iter().enumerate() {
                self.visit_referent(from, found, &format!("[{at}]"))?;
            }
            return Ok(());
        }
        let found = self.referents(object)?;
        if !found.iter().any(may_lead_on) {
            return Ok(());
        }
        let mut named = ByAddress::default();
        if self.items.len() < NAMED
            && let Some(dict) = instance_dict(object)
        {
            self.entries(
                from,
                &dict,
                |key| format!(".{}", key.trim_matches('\'')),
                &mut named,
            )?;
            named.room().insert(dict.as_ptr().addr(), 1);
        }
        for found in found {
            if let Some(count @ 1..) = named.get_mut(&found.as_ptr().addr()) {
                *count -= 1;
            } else if self.items.len() >= NAMED && is_plain_dict(&found) {
                self.entries(from, &found, |_| String::new(), &mut ByAddress::default())?;
            } else {
                self.visit_referent(from, &found, "")?;
            }
        }
        Ok(())
    }

    /// The values of a dict, and keys that lead on. `label` is given the key as `repr` writes it,
    /// if it is a text. The thread is attached.
    fn entries(
        &mut self,
        from: u32,
        dict: &Owned,
        label: impl Fn(&str) -> String,
        named: &mut ByAddress<usize>,
    ) -> Result<(), Error> {
        // SAFETY: attached; CPython checks that the object is a dict. A new reference or null.
        let items = unsafe { owned_or_error(py::PyDict_Items(dict.as_ptr())) }?;
        // SAFETY: attached; the list and its tuples are ours.
        for at in 0..unsafe { py::PyList_GET_SIZE(items.as_ptr()) } {
            // SAFETY: attached; the list and its tuples are ours.
            let (key, value) = unsafe {
                let pair = py::PyList_GET_ITEM(items.as_ptr(), at);
                let at = |at| Owned::from_borrowed(py::PyTuple_GET_ITEM(pair, at));
                (at(0), at(1))
            };
            if may_lead_on(&key) {
                self.visit_referent(from, &key, "key")?;
            }
            *named.room().entry(value.as_ptr().addr()).or_default() += 1;
            if may_lead_on(&value) {
                // SAFETY: a living object.
                let key = if unsafe { py::PyUnicode_CheckExact(key.as_ptr()) } != 0 {
                    // SAFETY: attached, with a living object; a new reference or null.
                    crate::errors::text_of(&unsafe { owned_or_error(running::PyObject_Repr(key.as_ptr())) }?)
                } else {
                    None
                };
                self.visit_referent(from, &value, &label(key.as_deref().unwrap_or("…")))?;
            }
        }
        Ok(())
    }

    /// The thread is attached.
    fn visit_referent(&mut self, from: u32, found: &Owned, label: &str) -> Result<(), Error> {
        if may_lead_on(found) {
            // SAFETY: the thread is attached, and `found` is owned.
            let to = unsafe { self.python(found.as_ptr()) }?;
            self.add_edge(from, to, false, label);
        }
        Ok(())
    }

    /// `gc.get_referents`: what a wrapper owns as a Python object, and nothing of its native
    /// object's. The thread is attached.
    fn referents(&self, object: &Owned) -> Result<Vec<Owned>, Error> {
        // SAFETY: attached; a new reference or null.
        unsafe {
            list_items(running::PyObject_CallOneArg(
                self.get_referents.as_ptr(),
                object.as_ptr(),
            ))
        }
    }

    /// How many references there are to wrappers and Python objects, but for those that this walk
    /// and the objects themselves own.
    fn count_references(&mut self) {
        for (item, point) in self.items.iter().zip(&mut self.points) {
            // SAFETY: attached; a wrapper lives as long as its object, which is held here, and is
            // not counted for that.
            let count = |it: *mut py::PyObject| unsafe { py::Py_REFCNT(it) }.unsigned_abs();
            point.references = match item {
                Item::Python(object) => count(object.as_ptr()).saturating_sub(1),
                Item::Native(object) if point.wrapped => {
                    let own = wrapper::existing_wrapper(object.as_borrow());
                    // The object's own reference, and the one that was taken to ask.
                    own.map_or(0, |own| count(own.as_ptr()).saturating_sub(2))
                }
                Item::Native(_) => 0,
            };
        }
    }

    /// Python objects belong into the picture if native code holds them, or if they lead to a
    /// native object.
    fn select_python_objects(&mut self) {
        let mut into = filled_vec(Vec::<u32>::new(), self.points.len());
        let mut found = Vec::new();
        for line in &self.lines {
            if self.points[line.to as usize].native {
                found.room().push(line.from);
            } else {
                into[line.to as usize].room().push(line.from);
            }
        }
        let mut leads = self.points.iter().map(|point| point.native).gather();
        while let Some(at) = found.pop() {
            if !std::mem::replace(&mut leads[at as usize], true) {
                self.points[at as usize].kept = true;
                found.grow(std::mem::take(&mut into[at as usize]));
            }
        }
    }
}

/// The elements of a list: a new reference, or null with an exception.
///
/// # Safety
/// The calling thread is attached; `list` is a new reference that is given away, or null with an
/// exception set.
unsafe fn list_items(list: *mut py::PyObject) -> Result<Vec<Owned>, Error> {
    // SAFETY: attached; a list to which there is no other reference.
    unsafe {
        let list = owned_or_error(list)?;
        let items = 0..py::PyList_GET_SIZE(list.as_ptr());
        Ok(items
            .map(|at| Owned::from_borrowed(py::PyList_GET_ITEM(list.as_ptr(), at)))
            .gather())
    }
}

/// The dict of an instance, if it has one. The thread is attached.
fn instance_dict(object: &Owned) -> Option<Owned> {
    const NAME: &CStr = c"__dict__";
    // SAFETY: attached; a new reference or null with an exception.
    unsafe {
        let name = Owned::from_new(py::PyUnicode_InternFromString(NAME.as_ptr()));
        let dict = name
            .and_then(|name| Owned::from_new(py::PyObject_GenericGetAttr(object.as_ptr(), name.as_ptr())));
        if dict.is_none() {
            drop(take());
        }
        dict.filter(is_plain_dict)
    }
}

fn is_plain_dict(object: &Owned) -> bool {
    // SAFETY: a living object.
    unsafe { py::PyDict_CheckExact(object.as_ptr()) != 0 }
}

/// Whether an object is a native one's wrapper, or may refer to one. Not what leads to the whole
/// program: classes, modules, code, frames.
fn may_lead_on(object: &Owned) -> bool {
    let object = object.as_ptr();
    // SAFETY: attached, with a living object.
    unsafe {
        wrapper::is_wrapper(object)
            || py::PyObject_IS_GC(object) != 0
                && py::PyType_Check(object) == 0
                && py::PyModule_Check(object) == 0
                && py::PyCode_Check(object) == 0
                && py::PyFrame_Check(object) == 0
                && py::PyCFunction_Check(object) == 0
    }
}
