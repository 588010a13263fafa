//! Structs that cross by their fields; `repr` by fields; generic objects; what only stubs show.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use pairbond::convert::{Few, IntOrSlice, Subscript};
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond::tree::Links;
use pairbond::{New, Record};

/// A limit. Two binaries share objects that have one, for its layout is known.
#[derive(Clone, Debug, Record, pairbond::layout::Layout)]
pub(crate) struct Limit {
    max: i64,
    #[record(default = 1)]
    step: i64,
}

/// What a program configures.
#[derive(Clone, Record)]
pub(crate) struct Config {
    /// Its name.
    name: String,
    #[record(default)]
    limits: Vec<Limit>,
    note: Option<String>,
    #[record(default = 0.5)]
    ratio: f64,
    #[record(default)]
    by_name: BTreeMap<String, Limit>,
    path: Option<PathBuf>,
    inner: Option<Box<Limit>>,
}

/// Arguments by keyword.
#[derive(Record)]
#[record(default)]
pub(crate) struct Flags {
    deep: bool,
    level: i64,
    names: Vec<String>,
}

/// Names that Python has otherwise.
#[derive(Record)]
#[record(rename_all = "camelCase", allow_unknown)]
pub(crate) struct Recased {
    max_size: i64,
    #[record(rename = "type")]
    kind: String,
}

/// Given as an instance of a class of Python's.
#[derive(Clone, Record)]
#[record(class = "records_in_python.Typed")]
pub(crate) struct Typed {
    name: String,
    sizes: Vec<i64>,
    of: Option<Ref<Pictured>>,
}

/// Given as an instance of a class that keeps any attributes.
#[derive(Record)]
#[record(class = "types.SimpleNamespace")]
pub(crate) struct Spaced {
    x: f64,
    y: f64,
}

#[pairbond::function]
pub(crate) fn spaced(value: Spaced) -> Spaced {
    value
}

/// A record inside of itself.
#[derive(Clone, Record)]
pub(crate) struct Outline {
    title: String,
    #[record(default)]
    below: Vec<Outline>,
    next: Option<Box<Self>>,
}

#[pairbond::function]
pub(crate) fn outline(outline: Outline) -> Outline {
    outline
}

/// A record with a parameter.
#[derive(Record)]
pub(crate) struct Page<T> {
    number: u32,
    items: Vec<T>,
}

#[pairbond::function]
pub(crate) fn configure(config: Config) -> Config {
    config
}

/// Text of what came.
#[pairbond::function]
pub(crate) fn configured(config: Option<Config>) -> String {
    config.map_or_else(String::new, |it| {
        let inner = it.inner.map_or(0, |it| it.max);
        format!(
            "{} {:?} {:?} {} {} {:?} {inner}",
            it.name,
            it.limits.iter().map(|it| (it.max, it.step)).collect::<Vec<_>>(),
            it.note,
            it.ratio,
            it.by_name.len(),
            it.path
        )
    })
}

#[pairbond::function]
pub(crate) fn configs(all: Vec<Config>) -> Few<Config> {
    all.into_iter().collect()
}

#[pairbond::function]
pub(crate) fn configs_by_name(all: HashMap<String, Limit>) -> HashMap<String, Limit> {
    all
}

#[pairbond::function]
pub(crate) fn with_flags(name: String, #[rest] flags: Flags) -> (String, bool, i64, Vec<String>) {
    (name, flags.deep, flags.level, flags.names)
}

#[pairbond::function]
pub(crate) fn renamed(value: Recased, #[rest] limit: Limit) -> (Recased, Limit) {
    (value, limit)
}

#[pairbond::function]
pub(crate) fn typed(value: Typed) -> Typed {
    value
}

#[pairbond::function]
pub(crate) fn pages(page: Page<String>) -> Page<i64> {
    Page {
        number: page.number + 1,
        items: page.items.iter().map(|it| it.len() as i64).collect(),
    }
}

/// Reads a value that has been an [`Any`] in between.
#[pairbond::function]
pub(crate) fn typed_from_python(value: Any) -> Result<String> {
    let config: Config = value.to()?;
    Ok(format!("{} {:?}", config.name, config.path))
}

/// A Rust function as a value: arguments of a call from Rust to Rust.
#[pairbond::function]
pub(crate) fn read_later() -> Function {
    Function::build("read").from(|limit: Limit| {
        Ok::<_, Error>(Limit {
            max: limit.max + 1,
            ..limit
        })
    })
}

/// Has a record in a field.
#[pairbond::object("pairbond_testext.Holder")]
pub(crate) struct Holder {
    #[field]
    first: Limit,
    #[field(set)]
    limit: Cell<Limit>,
    #[field(set)]
    more: Cell<Vec<Limit>>,
}

#[pairbond::methods]
impl Holder {
    #[new]
    fn new(limit: Limit) -> Self {
        Holder {
            first: limit.clone(),
            limit: Cell::new(limit),
            more: Cell::default(),
        }
    }
}

#[pairbond::function]
pub(crate) fn hash_set(all: Vec<i64>) -> HashSet<i64> {
    all.into_iter().collect()
}

#[pairbond::function]
pub(crate) fn hash_set_of_lists(all: Vec<Vec<i64>>) -> HashSet<Vec<i64>> {
    all.into_iter().collect()
}

/// Shown by its fields.
#[pairbond::object("pairbond_testext.Pictured", repr)]
#[derive(Default)]
pub(crate) struct Pictured {
    #[field(set)]
    name: Cell<Str>,
    #[field(set)]
    size: Cell<i64>,
    #[field(set)]
    next: Cell<Option<Ref<Pictured>>>,
    #[field(name = "all")]
    others: List<Pictured>,
    #[field(set)]
    any: Cell<Any>,
}

#[pairbond::methods]
impl Pictured {
    #[new]
    fn new(name: Str, #[default(0)] size: i64) -> Self {
        Pictured {
            name: name.into(),
            size: size.into(),
            ..Pictured::default()
        }
    }
}

/// Has the fields of its base, too.
#[pairbond::object("pairbond_testext.PicturedChild", extends = Pictured, repr)]
pub(crate) struct PicturedChild {
    base: Pictured,
    #[field]
    more: f64,
}

#[pairbond::methods]
impl PicturedChild {
    #[new]
    fn new(name: Str, more: f64) -> Self {
        PicturedChild {
            base: Pictured::new(name, 1),
            more,
        }
    }
}

/// A node that can be erased.
#[pairbond::object("pairbond_testext.PicturedNode", tree, repr)]
#[derive(Default)]
pub(crate) struct PicturedNode {
    links: Links,
    #[field]
    name: Str,
}

#[pairbond::methods]
impl PicturedNode {
    #[new]
    fn new(name: Str) -> Self {
        PicturedNode {
            name,
            ..PicturedNode::default()
        }
    }

    fn erase(this: Borrow<'_, Self>) -> Result<()> {
        pairbond::tree::TreeNode::erase(&this.to_ref())
    }
}

/// A grid of numbers or texts.
#[pairbond::object("pairbond_testext.GridF64", T = f64, repr)]
#[pairbond::object("pairbond_testext.GridText", T = Str)]
pub(crate) struct Grid<T>
where
    T: Clone + Default + Send + Sync + 'static,
{
    #[field]
    width: usize,
    /// The cells, row by row.
    #[field(set)]
    cells: Cell<Vec<T>>,
    #[field(set)]
    other: Cell<Option<Ref<Grid<f64>>>>,
}

pub(crate) type GridF64 = Grid<f64>;
pub(crate) type GridText = Grid<Str>;

#[pairbond::methods(T = f64)]
#[pairbond::methods(T = Str)]
impl<T> Grid<T>
where
    T: Clone + Default + Send + Sync + 'static,
{
    #[new]
    fn new(width: usize, height: usize) -> Self {
        Grid {
            width,
            cells: Cell::new(vec![T::default(); width * height]),
            other: Cell::default(),
        }
    }

    /// The cell at a place.
    fn at(&self, x: usize, y: usize) -> Option<T> {
        self.cells.with(|cells| cells.get(y * self.width + x).cloned())
    }

    fn put(&self, x: usize, y: usize, value: T) {
        self.cells.update(|cells| cells[y * self.width + x] = value);
    }

    /// Another one with the same content.
    fn copied(&self) -> New<Self> {
        New(Grid {
            width: self.width,
            cells: Cell::new(self.cells.get()),
            other: Cell::default(),
        })
    }

    #[getter]
    fn height(&self) -> usize {
        self.cells.with(Vec::len) / self.width
    }
}

#[pairbond::methods(block = 1)]
impl Grid<f64> {
    /// Only numbers have one.
    fn sum(&self) -> f64 {
        self.cells.with(|cells| cells.iter().sum())
    }
}

/// Two parameters, one of which is a number.
#[pairbond::object("pairbond_testext.Pair3", T = HashMap<String, i64>, N = 3)]
pub(crate) struct Fixed<T: Clone, const N: usize> {
    #[field]
    first: T,
    #[field]
    rest: [i64; N],
}

pub(crate) type Pair3 = Fixed<HashMap<String, i64>, 3>;

#[pairbond::methods(T = HashMap<String, i64>, N = 3)]
impl<T: Clone, const N: usize> Fixed<T, N> {
    #[new]
    fn new(first: T, rest: [i64; N]) -> Self {
        Fixed { first, rest }
    }
}

#[pairbond::function]
pub(crate) fn grid_of(text: Ref<Grid<Str>>) -> New<Grid<f64>> {
    let cells = text
        .cells
        .with(|cells| cells.iter().map(|it| it.len() as f64).collect());
    New(Grid {
        width: text.width,
        cells: Cell::new(cells),
        other: Cell::default(),
    })
}

#[pairbond::function]
pub(crate) fn half_of(grid: &Grid<f64>) -> f64 {
    grid.sum() / 2.0
}

/// Users may set some attributes.
#[pairbond::object("pairbond_testext.Noted", attributes(note: Option<String>, marks: Vec<i64>, seen: "bool | None"))]
#[derive(Default)]
pub(crate) struct Noted {
    #[field(set)]
    parent: Cell<Option<Ref<Noted>>>,
}

#[pairbond::methods]
impl Noted {
    #[new]
    fn new() -> Self {
        Noted::default()
    }

    #[getter]
    #[base(Noted)]
    fn above(&self) -> Option<ErasedRef> {
        self.parent.get().map(Ref::into_erased)
    }
}

#[pairbond::function]
#[base(Noted)]
pub(crate) fn noted_as_any(noted: Ref<Noted>) -> Vec<ErasedRef> {
    vec![noted.into_erased()]
}

/// Users may set any attribute.
#[pairbond::object("pairbond_testext.Open", attributes)]
#[derive(Default)]
pub(crate) struct Open {}

#[pairbond::methods]
impl Open {
    #[new]
    fn new() -> Self {
        Open::default()
    }
}

/// A sequence of numbers.
#[pairbond::object("pairbond_testext.Row")]
pub(crate) struct Row {
    all: Vec<i64>,
}

#[pairbond::methods]
impl Row {
    #[new]
    fn new(all: Vec<i64>) -> Self {
        Row { all }
    }

    fn __len__(&self) -> usize {
        self.all.len()
    }

    fn __getitem__(&self, at: IntOrSlice) -> Result<Vec<i64>> {
        let places = at.indices(self.all.len())?;
        Ok(places.into_iter().map(|place| self.all[place]).collect())
    }
}

#[pairbond::function]
pub(crate) fn sliced(text: &str, part: Subscript) -> String {
    let all: Vec<char> = text.chars().collect();
    part.indices(all.len()).map(|place| all[place]).collect()
}
