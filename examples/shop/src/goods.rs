//! Objects, containers, arrays, errors and functions.

use std::sync::LazyLock;

use pairbond::fork::Mutex;
use pairbond::prelude::*;

/// A package of a lock file.
#[pairbond::object("shop.Package")]
pub(crate) struct Package {
    /// Its name.
    #[field]
    name: Str,
    /// A remark, which Python may change.
    #[field(set)]
    note: Cell<Option<Str>>,
    #[field]
    dependencies: List<Package>,
}

#[pairbond::methods]
impl Package {
    #[new]
    fn new(name: &str) -> Self {
        Package {
            name: name.into(),
            note: Cell::new(None),
            dependencies: List::new(),
        }
    }

    /// The number of packages that this one needs directly.
    fn weight(&self) -> usize {
        self.dependencies.len()
    }

    fn __repr__(&self) -> String {
        format!("Package({:?})", self.name)
    }
}

/// Prices by name.
#[pairbond::object("shop.Stock")]
pub(crate) struct Stock {
    #[field]
    prices: Map<Str, f64>,
    #[field]
    tags: Set<Str>,
}

#[pairbond::methods]
impl Stock {
    #[new]
    fn new() -> Self {
        Stock {
            prices: Map::new(),
            tags: Set::new(),
        }
    }

    fn total(&self) -> f64 {
        self.prices.values().sum()
    }
}

/// What a customer has chosen.
#[pairbond::object("shop.Cart")]
pub(crate) struct Cart {
    #[field]
    items: List<Item>,
    #[field(set)]
    owner: Cell<Option<Ref<Cart>>>,
    #[field(set)]
    on_change: Cell<Any>,
}

#[pairbond::methods]
impl Cart {
    #[new]
    fn new() -> Self {
        Cart {
            items: List::new(),
            owner: Cell::new(None),
            on_change: Cell::new(Any::None),
        }
    }
}

/// Puts an item into a cart, which is returned.
#[pairbond::function]
pub(crate) fn with_item(cart: Ref<Cart>, price: i64) -> Ref<Cart> {
    cart.items.push(Ref::new(Item { price }));
    cart
}

/// Something that has a price.
#[pairbond::object("shop.Item")]
pub(crate) struct Item {
    #[field]
    price: i64,
}

#[pairbond::methods]
impl Item {
    #[new]
    fn new(price: i64) -> Self {
        Item { price }
    }
}

/// An item with pages.
#[pairbond::object("shop.Book", extends = Item)]
pub(crate) struct Book {
    item: Item,
    #[field]
    pages: i64,
}

#[pairbond::methods]
impl Book {
    #[new]
    fn new(price: i64, pages: i64) -> Self {
        Book {
            item: Item { price },
            pages,
        }
    }
}

/// A price that classes may reckon anew.
#[pairbond::object("shop.Offer")]
pub(crate) struct Offer {
    #[field]
    price: i64,
}

#[pairbond::methods]
impl Offer {
    #[new]
    fn new(price: i64) -> Self {
        Offer { price }
    }

    /// What a customer pays.
    #[overridable]
    fn total(this: Borrow<'_, Self>, count: i64) -> Result<i64, Error> {
        Ok(this.price * count)
    }
}

/// What the cheapest of some offers costs.
#[pairbond::function]
pub(crate) fn cheapest(offers: Vec<Ref<Offer>>, count: i64) -> Result<Option<i64>, Error> {
    let mut best: Option<i64> = None;
    for offer in offers {
        let total = Offer::total(offer.as_borrow(), count)?;
        best = Some(best.map_or(total, |best| best.min(total)));
    }
    Ok(best)
}

/// Something to send.
#[pairbond::object("shop.Parcel")]
pub(crate) struct Parcel {
    #[field]
    weight: f64,
}

#[pairbond::methods]
impl Parcel {
    #[new]
    fn new(weight: f64) -> Self {
        Parcel { weight }
    }
}

/// What sending it costs.
#[pairbond::function]
#[overridable]
pub(crate) fn postage(parcel: Borrow<'_, Parcel>, rate: f64) -> Result<f64, Error> {
    Ok(parcel.weight * rate)
}

/// Pixels.
#[pairbond::object("shop.Picture")]
#[derive(Clone)]
pub(crate) struct Picture {
    pixels: Vec<u8>,
}

#[pairbond::methods]
impl Picture {
    #[new]
    fn new(pixels: Vec<u8>) -> Self {
        Picture { pixels }
    }

    #[getter]
    fn pixels(&self) -> Vec<u8> {
        self.pixels.clone()
    }
}

/// In place, if the caller gave its only reference away; otherwise a copy.
#[pairbond::function]
pub(crate) fn inverted(mut picture: Ref<Picture>) -> Ref<Picture> {
    for pixel in &mut picture.make_mut().pixels {
        *pixel = !*pixel;
    }
    picture
}

/// Takes a numpy array as it is, and changes it in place.
#[pairbond::function]
pub(crate) fn scale(array: Array, by: f64) -> Result<(), Error> {
    array.view::<f64>()?.update(|x| x * by)
}

/// To numpy: `numpy.asarray(squares(3))`.
#[pairbond::function]
pub(crate) fn squares(n: i64) -> Result<Array, Error> {
    let values: Vec<i64> = (0..n).map(|i| i * i).collect();
    Array::from_vec(&[values.len()], values)
}

/// A level from 0 to 9.
#[pairbond::function]
pub(crate) fn level(text: &str) -> Result<u8, Error> {
    let level: u8 = text.parse().or_raise(ErrorKind::Value)?;
    if level > 9 {
        return Err(Error::value_error(format!("the level is 0 to 9, not {level}")));
    }
    Ok(level)
}

static KEPT: LazyLock<Mutex<Vec<Ref<Cart>>>> = LazyLock::new(|| Mutex::new(Vec::new()));

/// Keeps a cart in a static, as a cache does that is never emptied.
#[pairbond::function]
pub(crate) fn keep(cart: Ref<Cart>) {
    KEPT.lock().expect("no panic under the lock").push(cart);
}

/// Empties it.
#[pairbond::function]
pub(crate) fn forget() {
    let gone = std::mem::take(&mut *KEPT.lock().expect("no panic under the lock"));
    drop(gone);
}
