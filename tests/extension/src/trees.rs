//! Trees: a document of sections that contain sections and paragraphs.

use pairbond::prelude::*;
use pairbond::tree::{self, Children, Links, TreeNode};

/// A part of a document.
#[pairbond::object("pairbond_testext.Section", tree, name = Self::called)]
pub(crate) struct Section {
    links: Links,
    sections: Children<Section>,
    paragraphs: Children<Paragraph>,
    #[field]
    title: Str,
    #[field(set)]
    extra: Cell<Any>,
}

/// A leaf of a document.
#[pairbond::object("pairbond_testext.Paragraph", tree)]
pub(crate) struct Paragraph {
    links: Links,
    #[field(set)]
    text: Cell<Str>,
    #[field(set)]
    extra: Cell<Any>,
}

/// A paragraph that knows where it is from.
#[pairbond::object("pairbond_testext.Quotation", extends = Paragraph)]
pub(crate) struct Quotation {
    base: Paragraph,
    #[field]
    source: Str,
}

/// A section with notes, which stand in a list of their own.
#[pairbond::object("pairbond_testext.Annotated", extends = Section)]
pub(crate) struct Annotated {
    base: Section,
    notes: Children<Quotation>,
}

#[pairbond::methods]
impl Annotated {
    #[new]
    fn new(title: Str) -> Self {
        let (base, notes) = (Section::new(title), Children::new());
        Annotated { base, notes }
    }

    fn annotate(this: Borrow<'_, Self>, note: Ref<Quotation>) -> Result<()> {
        this.to_ref().list(|it| &it.notes).push(&note)
    }

    fn notes(this: Borrow<'_, Self>) -> Vec<Ref<Quotation>> {
        this.to_ref().list(|it| &it.notes).to_vec()
    }
}

fn paragraph(text: Str) -> Paragraph {
    Paragraph {
        links: Links::new(),
        text: Cell::new(text),
        extra: Cell::new(Any::None),
    }
}

impl Section {
    /// What errors call it.
    fn called(&self) -> String {
        format!("\"{}\"", self.title)
    }
}

#[pairbond::methods]
impl Section {
    #[new]
    fn new(title: Str) -> Self {
        Section {
            links: Links::new(),
            sections: Children::new(),
            paragraphs: Children::new(),
            title,
            extra: Cell::new(Any::None),
        }
    }

    fn add(this: Borrow<'_, Self>, section: Ref<Section>) -> Result<()> {
        this.to_ref().list(|s| &s.sections).push(&section)
    }

    fn insert(this: Borrow<'_, Self>, place: usize, section: Ref<Section>) -> Result<()> {
        this.to_ref().list(|s| &s.sections).insert(place, &section)
    }

    fn splice(
        this: Borrow<'_, Self>,
        first: Ref<Section>,
        last: Ref<Section>,
        before: Option<Ref<Section>>,
    ) -> Result<()> {
        let this = this.to_ref();
        this.list(|s| &s.sections).splice(before.as_ref(), &first, &last)
    }

    fn sections(this: Borrow<'_, Self>) -> Vec<Ref<Section>> {
        this.to_ref().list(|s| &s.sections).iter().collect()
    }

    fn place(this: Borrow<'_, Self>, section: Ref<Section>) -> Option<usize> {
        this.to_ref().list(|s| &s.sections).index_of(&section)
    }

    fn next(this: Borrow<'_, Self>) -> Option<Ref<Section>> {
        this.to_ref().next_sibling()
    }

    fn write(this: Borrow<'_, Self>, paragraph: Ref<Paragraph>) -> Result<()> {
        this.to_ref().list(|s| &s.paragraphs).push(&paragraph)
    }

    /// Paragraphs that only the tree keeps.
    fn fill(this: Borrow<'_, Self>, count: usize) -> Result<()> {
        let this = this.to_ref();
        (0..count).try_for_each(|i| {
            let text = Str::from(format!("{i}").as_str());
            this.list(|s| &s.paragraphs).push(&Ref::new(paragraph(text)))
        })
    }

    /// A section that Python has not seen.
    fn subdivide(this: Borrow<'_, Self>, title: Str) -> Result<()> {
        this.to_ref()
            .list(|s| &s.sections)
            .push(&Ref::new(Section::new(title)))
    }

    fn subsection(this: Borrow<'_, Self>, place: usize) -> Option<Ref<Section>> {
        this.to_ref().list(|s| &s.sections).get(place)
    }

    fn paragraph(this: Borrow<'_, Self>, place: usize) -> Option<Ref<Paragraph>> {
        this.to_ref().list(|s| &s.paragraphs).get(place)
    }

    fn paragraphs(this: Borrow<'_, Self>) -> Vec<Ref<Paragraph>> {
        this.to_ref().list(|s| &s.paragraphs).iter().collect()
    }

    fn parent(this: Borrow<'_, Self>) -> Option<Ref<Section>> {
        this.to_ref().parent().and_then(|parent| parent.downcast().ok())
    }

    /// How many paragraphs there are when it is erased.
    #[getter]
    fn paragraphs_after_erasing(this: Borrow<'_, Self>) -> Result<usize> {
        this.to_ref().erase()?;
        Ok(this.to_ref().list(|s| &s.paragraphs).len())
    }

    fn detach(this: Borrow<'_, Self>) -> Result<()> {
        this.to_ref().detach()
    }

    fn erase(this: Borrow<'_, Self>, #[default(None)] by: Option<&str>) -> Result<()> {
        let _scope = by.map(tree::reason);
        this.to_ref().erase()
    }

    fn same_title(&self, other: &Section) -> bool {
        self.title == other.title
    }
}

#[pairbond::methods]
impl Paragraph {
    #[new]
    fn new(text: Str) -> Self {
        paragraph(text)
    }

    fn section(this: Borrow<'_, Self>) -> Option<Ref<Section>> {
        this.to_ref().parent().and_then(|parent| parent.downcast().ok())
    }

    fn next(this: Borrow<'_, Self>) -> Option<Ref<Paragraph>> {
        this.to_ref().next_sibling()
    }

    fn detach(this: Borrow<'_, Self>) -> Result<()> {
        this.to_ref().detach()
    }

    fn erase(this: Borrow<'_, Self>) -> Result<()> {
        this.to_ref().erase()
    }
}

#[pairbond::methods]
impl Quotation {
    #[new]
    fn new(text: Str, source: Str) -> Self {
        Quotation {
            base: paragraph(text),
            source,
        }
    }
}

/// A node whose members are those of the option `tree`, of two types.
#[pairbond::object(
    "pairbond_testext.Branch",
    tree(parent, branches, leaves, descendants: Leaf = all_leaves, detach = take_out, erase = cut)
)]
pub(crate) struct Branch {
    links: Links,
    branches: Children<Branch>,
    leaves: Children<Leaf>,
    #[field]
    name: Str,
    #[field(set)]
    note: Cell<Str>,
}

/// See [`Branch`].
#[pairbond::object("pairbond_testext.Leaf", tree(parent: Branch, erase))]
pub(crate) struct Leaf {
    links: Links,
    #[field]
    name: Str,
}

#[pairbond::methods]
impl Branch {
    #[new]
    fn new(name: Str) -> Self {
        Branch {
            links: Links::new(),
            branches: Children::new(),
            leaves: Children::new(),
            name,
            note: Cell::default(),
        }
    }

    fn grow(this: Ref<Self>, branch: Ref<Branch>) -> Result<Ref<Branch>> {
        this.list(|it| &it.branches).adopt(None, branch.clone())?;
        Ok(branch)
    }

    fn bear(this: Ref<Self>, name: Str) -> Result<Ref<Leaf>> {
        let leaf = Ref::new(Leaf {
            links: Links::new(),
            name,
        });
        this.list(|it| &it.leaves).push(&leaf).map(|()| leaf)
    }

    #[getter]
    fn length(this: Ref<Self>) -> usize {
        this.list(|it| &it.branches).len()
    }

    #[setter(noted)]
    fn set_noted(this: Ref<Self>, note: Str) {
        this.note.set(note);
    }

    #[getter]
    fn noted(this: Ref<Self>) -> Str {
        this.note.get()
    }

    async fn later(this: Ref<Self>) -> Ref<Self> {
        this
    }
}
