//! Nodes: reading and editing. A node that is put somewhere is taken from where it stands, and a
//! `str` becomes a text.

use either::Either;
use html5ever::{LocalName, QualName, ns};
use pairbond::prelude::*;
use pairbond::tree::{Children, Guarded, Links, List, TreeNode};

/// The attributes of an element, in their order.
pub(crate) type Attributes = Vec<(LocalName, Str)>;

/// An element, or what its name says: `#document`, `#text`, `#comment`, `#doctype`. `e["href"]`
/// reads, sets and deletes an attribute.
#[pairbond::object("dom.Node", opaque, name = Self::name, tree(
    parent: Node, children, descendants: Node, detach = extract, erase = decompose,
))]
pub(crate) struct Node {
    links: Links,
    pub(crate) children: Children<Node>,
    #[untraced]
    pub(crate) name: QualName,
    #[untraced]
    pub(crate) attrs: Guarded<Attributes>,
    pub(crate) data: Guarded<String>,
}

impl Node {
    pub(crate) fn element(name: QualName, attrs: Attributes, data: &str) -> Node {
        Node {
            links: Links::new(),
            children: Children::new(),
            name,
            attrs: Guarded::new(attrs),
            data: Guarded::new(data.into()),
        }
    }

    /// A node that is no element. A document has a namespace, for it has children.
    pub(crate) fn special(name: &str, data: &str) -> Ref<Node> {
        let ns = if name == "#document" { ns!(*) } else { ns!() };
        let name = QualName::new(None, ns, name.into());
        Ref::new(Node::element(name, Vec::new(), data))
    }

    pub(crate) fn has_name(&self, name: &str) -> bool {
        *self.name.local == *name
    }

    pub(crate) fn is_element(&self) -> bool {
        self.name.ns != ns!() && self.name.ns != ns!(*)
    }
}

pub(crate) fn children(of: &Ref<Node>) -> List<'_, Node> {
    of.list(|node| &node.children)
}

fn place(attrs: &Attributes, name: &str) -> Option<usize> {
    attrs.iter().position(|(it, _)| **it == *name)
}

/// Puts a node before a child, or behind all.
fn put(parent: &Ref<Node>, before: Option<&Ref<Node>>, node: Either<Ref<Node>, Str>) -> Result<()> {
    let node = node.left_or_else(|text| Node::special("#text", &text));
    if node.name.ns == ns!(*) || parent.name.ns == ns!() || parent.is_in(&node) {
        let refused = format!("{} cannot stand in {}", node.name(), parent.name());
        return Err(Error::value_error(refused));
    }
    children(parent).adopt(before, node)
}

#[pairbond::methods]
impl Node {
    /// An element of HTML that stands nowhere yet.
    #[new]
    fn new(name: &str, attrs: Option<Map<Str, Str>>) -> Self {
        let attrs = attrs.iter().flatten();
        let attrs = attrs.map(|(name, value)| (LocalName::from(&*name), value));
        Node::element(QualName::new(None, ns!(html), name.into()), attrs.collect(), "")
    }

    #[getter]
    fn name(&self) -> Str {
        Str::from(&*self.name.local)
    }

    /// The attributes as they are now. They are changed on the element: `e["href"] = …`.
    #[getter]
    fn attrs(&self) -> FrozenMap<Str, Str> {
        let attrs = self.attrs.get().into_iter();
        attrs.map(|(name, value)| (Str::from(&*name), value)).collect()
    }

    /// The value of an attribute, or the default.
    pub(crate) fn get(&self, name: &str, default: Option<Str>) -> Option<Str> {
        let found = |attrs: &Attributes| place(attrs, name).map(|at| attrs[at].1.clone());
        self.attrs.with(found).or(default)
    }

    fn __getitem__(&self, name: &str) -> Result<Str> {
        self.get(name, None).ok_or_else(|| Error::key_error(name))
    }

    fn __setitem__(&self, name: &str, mut value: Str) {
        self.attrs.update(|attrs| match place(attrs, name) {
            Some(at) => std::mem::swap(&mut attrs[at].1, &mut value),
            None => attrs.push((name.into(), value.clone())),
        });
    }

    fn __delitem__(&self, name: &str) -> Result<()> {
        let remove = |attrs: &mut Attributes| place(attrs, name).map(|at| attrs.remove(at));
        let removed = self.attrs.update(remove);
        removed.map(drop).ok_or_else(|| Error::key_error(name))
    }

    /// All text in this node; that of a text or comment itself. Setting it replaces what stands
    /// there.
    #[getter]
    fn text(this: Ref<Self>) -> String {
        let below = this.descendants_as::<Node>();
        let texts = below.filter(|node| node.has_name("#text"));
        this.data.get() + &texts.map(|text| text.data.get()).collect::<String>()
    }

    #[setter]
    fn set_text(this: Ref<Self>, text: String) -> Result<()> {
        if this.name.ns == ns!() {
            this.data.set(text);
            return Ok(());
        }
        children(&this).detach_all()?;
        children(&this).push_owned(Node::special("#text", &text))
    }

    /// Puts a node or a text behind all children.
    fn append(this: Ref<Self>, node: Either<Ref<Node>, Str>) -> Result<()> {
        put(&this, None, node)
    }

    /// Puts a node or a text before the child at a place.
    fn insert(this: Ref<Self>, place: usize, node: Either<Ref<Node>, Str>) -> Result<()> {
        put(&this, children(&this).get(place).as_ref(), node)
    }

    /// Puts a node or a text where this one is, which is taken out and returned.
    fn replace_with(this: Ref<Self>, node: Either<Ref<Node>, Str>) -> Result<Ref<Self>> {
        let parent = this.parent_as();
        let parent = parent.ok_or_else(|| Error::value_error("the node stands in no other"))?;
        put(&parent, Some(&this), node)?;
        this.detach().map(|()| this)
    }

    fn __repr__(&self) -> String {
        format!("<{}>", &*self.name.local)
    }
}
