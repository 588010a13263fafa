//! What the process knows about types: keys, versions, inheritance, fields and methods with names,
//! docs and types.

use pairbond::prelude::*;

/// Something for sale.
#[pairbond::object("registry.Item", version = 7)]
pub struct Item {
    /// In cents.
    #[field]
    price: i64,
    #[field(set)]
    note: Cell<Option<Str>>,
    secret: u8,
}

#[pairbond::methods]
impl Item {
    #[new]
    fn new(price: i64, #[default(1)] secret: u8) -> Self {
        Item {
            price,
            note: Cell::new(None),
            secret,
        }
    }

    /// Whether it costs more than the other.
    fn dearer(&self, other: &Item) -> bool {
        self.price + i64::from(self.secret) > other.price
    }
}

/// A book.
#[pairbond::object("registry.Book", extends = Item)]
pub struct Book {
    item: Item,
    #[field]
    pages: u32,
}

#[test]
fn members_have_names_docs_and_types() {
    let item = pairbond::types::register_class::<Item>().expect("nobody else has the key");
    assert_eq!(
        (item.key(), item.version(), item.name(), item.module()),
        ("registry.Item", 7, "Item", "registry")
    );
    let members = item.members().expect("a class was registered");
    assert_eq!(members.doc(), "Something for sale.");
    let price = members.attribute("price").expect("a field");
    assert_eq!(
        (price.doc, price.rust_type, price.settable, price.immutable),
        ("In cents.", "i64", false, true)
    );
    let note = members.attribute("note").expect("a field");
    assert!(note.settable && !note.immutable);
    assert!(members.attribute("secret").is_none(), "only #[field]s are shown");
    let dearer = members.method("dearer").expect("a method");
    assert_eq!(dearer.doc, "Whether it costs more than the other.");
    assert_eq!(
        (
            dearer.parameters[0].name,
            dearer.parameters[0].rust_type,
            dearer.returns
        ),
        ("other", "&Item", "bool")
    );
    assert_eq!(
        members.method("__new__").expect("#[new]").parameters[1].default,
        Some("1")
    );
    // All fields with their places, for those who check a layout.
    let names: Vec<&str> = item.fields().iter().map(|f| f.name).collect();
    assert_eq!(names, ["price", "note", "secret"]);
    assert!(
        item.fields()
            .iter()
            .all(|f| f.offset + f.size <= size_of::<Item>())
    );
}

#[test]
fn types_are_found_by_key_and_know_what_they_extend() {
    let book = pairbond::types::register_class::<Book>().expect("nobody else has the key");
    let item = pairbond::types::find_type("registry.Item").expect("a base is registered first");
    assert!(book.is_a(item) && !item.is_a(book));
    assert!(std::ptr::eq(book.base().expect("Item"), item));
    assert!(std::ptr::eq(
        pairbond::types::find_type("registry.Book").expect("registered"),
        book
    ));
    assert!(pairbond::types::find_type("registry.Nobody").is_none());
    assert!(
        pairbond::types::registered_types()
            .iter()
            .any(|t| std::ptr::eq(*t, book))
    );
    let book = Ref::new(Book {
        item: Item::new(3, 0),
        pages: 9,
    });
    assert_eq!((book.price, book.pages), (3, 9));
}
