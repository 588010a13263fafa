//! Objects that are handed over by value.

use std::sync::Mutex;

use pairbond::prelude::*;

/// Something that one would not copy if one need not.
#[pairbond::object("pairbond_testext.Buffer")]
#[derive(Clone)]
pub(crate) struct Buffer {
    values: Vec<i64>,
}

#[pairbond::methods]
impl Buffer {
    #[new]
    fn new(#[rest] values: Vec<i64>) -> Self {
        Buffer { values }
    }

    fn values(&self) -> Vec<i64> {
        self.values.clone()
    }

    /// Where the values lie.
    fn address(&self) -> usize {
        self.values.as_ptr().addr()
    }

    /// The sum, before and after a call of Python, with the object borrowed all the while.
    fn during(&self, f: Function) -> Result<(i64, i64), Error> {
        let before = self.values.iter().sum();
        f.call(&[])?;
        Ok((before, self.values.iter().sum()))
    }

    /// The same, on a thread's own time.
    #[detach]
    fn sleep(&self, milliseconds: u64) -> (i64, i64) {
        let before = self.values.iter().sum();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        (before, self.values.iter().sum())
    }

    fn watch(this: Borrow<'_, Self>) {
        *WATCHED.lock().unwrap() = Some(this.downgrade());
    }

    #[overridable]
    fn size(this: Borrow<'_, Self>) -> Result<usize, Error> {
        Ok(this.values.len())
    }

    /// As `during`, with the method that may be overridden.
    fn measured(this: Borrow<'_, Self>) -> Result<(i64, usize, i64), Error> {
        let before = this.values.iter().sum();
        let size = Buffer::size(this)?;
        Ok((before, size, this.values.iter().sum()))
    }
}

/// A type that extends it.
#[pairbond::object("pairbond_testext.LongBuffer", extends = Buffer)]
pub(crate) struct LongBuffer {
    base: Buffer,
}

#[pairbond::methods]
impl LongBuffer {
    #[new]
    fn new() -> Self {
        LongBuffer {
            base: Buffer { values: vec![0; 100] },
        }
    }
}

/// One with references that a collector sees.
#[pairbond::object("pairbond_testext.Tree")]
#[derive(Clone)]
pub(crate) struct Tree {
    children: Vec<Ref<Tree>>,
}

#[pairbond::methods]
impl Tree {
    #[new]
    fn new(#[rest] children: Vec<Ref<Tree>>) -> Self {
        Tree { children }
    }

    /// Its size, before and after a call of Python, with the object borrowed all the while.
    fn during(&self, f: Function) -> Result<(usize, usize), Error> {
        let before = self.size();
        f.call(&[])?;
        Ok((before, self.size()))
    }

    /// The same, while an iterable is read.
    fn while_reading(&self, items: Vec<Any>) -> (usize, usize) {
        (self.size(), items.len())
    }

    fn size(&self) -> usize {
        1 + self.children.iter().map(|child| child.size()).sum::<usize>()
    }
}

static WATCHED: Mutex<Option<Weak<Buffer>>> = Mutex::new(None);

#[pairbond::function]
pub(crate) fn watched() -> Option<Ref<Buffer>> {
    WATCHED.lock().unwrap().as_ref().and_then(Weak::upgrade)
}

/// Doubles in place, or a copy.
#[pairbond::function]
pub(crate) fn doubled(mut buffer: Ref<Buffer>) -> Ref<Buffer> {
    for value in &mut buffer.make_mut().values {
        *value *= 2;
    }
    buffer
}

/// Grows a tree in place, if there is no other reference to it.
#[pairbond::function]
pub(crate) fn grown(mut tree: Ref<Tree>) -> Option<Ref<Tree>> {
    tree.get_mut()?.children.push(Ref::new(Tree::new(Vec::new())));
    Some(tree)
}

/// Where the values lay that were taken out.
#[pairbond::function]
pub(crate) fn taken_out(buffer: Buffer) -> (usize, Vec<i64>) {
    (buffer.values.as_ptr().addr(), buffer.values)
}

/// Borrows one, and takes another by value.
#[pairbond::function]
pub(crate) fn lend_and_take(lent: &Buffer, taken: Ref<Buffer>) -> (Vec<i64>, usize) {
    (lent.values(), taken.strong_count() + 1)
}

/// How many references there are.
#[pairbond::function]
pub(crate) fn references(#[default(None)] buffer: Option<Ref<Buffer>>) -> Option<usize> {
    buffer.map(|buffer| buffer.strong_count())
}

#[pairbond::function]
pub(crate) fn references_of_any(value: Any) -> Result<usize, Error> {
    match value {
        Any::Object(object) => Ok(object
            .downcast::<Buffer>()
            .map_err(|_| Error::type_error("no buffer"))?
            .strong_count()),
        other => Err(Error::type_error(other.describe())),
    }
}

#[pairbond::function]
pub(crate) fn numbers_of(list: List<i64>) -> Vec<i64> {
    list.iter().collect()
}

/// Lends the object to a callback, which may keep it; whether it is ours alone afterwards.
#[pairbond::function]
pub(crate) fn lend_and_look(mut buffer: Ref<Buffer>, f: Function) -> Result<(Any, bool), Error> {
    let result = f.call(&[buffer.clone().into()])?;
    Ok((result, buffer.get_mut().is_some()))
}

/// Hands the object on by value.
#[pairbond::function]
pub(crate) fn hand_on(f: Function, buffer: Ref<Buffer>) -> Result<Any, Error> {
    f.call(&[Any::moved(buffer)])
}

/// A closure that takes one by value.
#[pairbond::function]
pub(crate) fn taker() -> Function {
    Function::build("taker")
        .parameter("buffer")
        .from(|buffer: Buffer| buffer.values)
}

/// Refuses the second argument when the first has been taken.
#[pairbond::function]
pub(crate) fn taken_with(_buffer: Ref<Buffer>, number: i64) -> i64 {
    number
}
