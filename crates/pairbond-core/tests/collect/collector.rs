//! CPython's collector over the fake runtime: generations, the subtracting and the reaching phase,
//! finalizers, the second look at resurrected objects, clearing. It visits the snapshot as
//! wrappers' traversals will.

use super::core_crate as pb;
use super::things::{PY, decref, drain, number, pointer, with};
use pb::object::Holder;
use pb::trace::{Look, Snapshot, Swept, VisitAction};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What happens between the phases.
pub trait Script {
    /// Python code runs: the finalizer of an object.
    fn finalize(&mut self, object: usize);
    /// The decision is made; nothing was cleared. An error ends the test.
    fn decided(&mut self, garbage: &[usize]) -> Result<(), String>;
    /// One object was cleared; `condemned`: so was its native part.
    fn cleared(&mut self, condemned: bool);
}

/// As `gc/sweep.rs` of the Python frontend does it: what a wrapper holds is not noticed before.
fn sweep(show: bool) -> Swept {
    let tag = with(|py| py.tag);
    with(|py| py.detached = true);
    let unknown = RefCell::new(Vec::new());
    let look = |wrapper, holder| {
        with(|py| {
            let o = &py.objects[number(wrapper)];
            if o.native.is_none() || o.count == 0 {
                Look::Plain
            } else if !o.untracked {
                Look::Edge
            } else if !o.refs.is_empty() || o.finalizer {
                unknown.borrow_mut().push(number(wrapper));
                Look::Edge
            } else if holder == Holder::Native && o.count == 1 {
                Look::Dormant
            } else {
                Look::Plain
            }
        })
    };
    let swept = pb::trace::sweep_dormant(tag, &look, show);
    for wrapper in unknown.take() {
        with(|py| py.objects[wrapper].untracked = false);
    }
    with(|py| py.detached = false);
    swept
}

/// The visitor of a subtracting phase; those of the others are above.
const SUBTRACT: usize = 1;

enum Phase<'a> {
    Subtract,
    Reach(usize, &'a mut Vec<usize>),
}

pub struct Collector {
    pub full: bool,
    pass: usize,
    snapshot: Option<Snapshot>,
}

impl Collector {
    /// One collection of everything that is at most `generation` old.
    pub fn run(generation: u8, script: &mut dyn Script) -> Result<usize, String> {
        let mut this = Collector {
            full: generation == 2,
            pass: 0,
            snapshot: None,
        };
        let untracks = this.full && with(|py| py.untracks);
        if untracks {
            let swept = sweep(true);
            for wrapper in &swept.shown {
                with(|py| py.objects[number(*wrapper)].untracked = false);
            }
            swept.condemned.clear();
        } else if this.full {
            pb::trace::collect();
        }
        let candidates: Vec<usize> = with(|py| {
            let alive = |i: &usize| {
                let o = &py.objects[*i];
                !o.freed && !o.untracked && o.generation <= generation
            };
            (0..py.objects.len()).filter(alive).collect()
        });
        let unreachable = this.deduce(&candidates, 1)?;
        for object in &candidates {
            with(|py| py.objects[*object].generation = (generation + 1).min(2));
        }
        for object in &unreachable {
            if with(|py| !py.objects[*object].freed && std::mem::take(&mut py.objects[*object].finalizer)) {
                script.finalize(*object);
            }
        }
        let rest: Vec<usize> = unreachable
            .into_iter()
            .filter(|o| with(|py| !py.objects[*o].freed))
            .collect();
        let garbage = this.deduce(&rest, 2)?;
        script.decided(&garbage)?;
        for object in &garbage {
            with(|py| py.objects[*object].count += 1);
        }
        for object in &garbage {
            if with(|py| py.objects[*object].native.is_some())
                && let Some(snapshot) = this.snapshot.take()
            {
                snapshot.condemn_garbage().clear();
            }
            let refs = with(|py| {
                let o = &mut py.objects[*object];
                o.cleared = true;
                std::mem::take(&mut o.refs)
            });
            refs.into_iter().for_each(decref);
            decref(*object);
            script.cleared(this.snapshot.is_none());
        }
        drop(this);
        pb::trace::drain_deferred();
        drain();
        if untracks {
            with(|py| {
                for o in py.objects.iter_mut().filter(|o| !o.freed) {
                    // SAFETY: a wrapper's object is alive as long as it is.
                    let traced = o
                        .native
                        .is_some_and(|it| unsafe { it.as_ref() }.info().is_traced());
                    o.untracked |= traced && o.refs.is_empty() && !o.finalizer;
                }
            });
            if !garbage.is_empty() {
                sweep(false).condemned.clear();
            }
            drain();
        }
        match with(|py| py.error.take()) {
            Some(error) => Err(error),
            None => Ok(garbage.len()),
        }
    }

    fn deduce(&mut self, objects: &[usize], pass: usize) -> Result<Vec<usize>, String> {
        self.pass = pass;
        let mut counts: BTreeMap<usize, i64> =
            with(|py| objects.iter().map(|o| (*o, py.objects[*o].count)).collect());
        if pass == 2 && self.full {
            // As the first subtracting call of the second pass would notice by itself.
            if self.would_go_on(objects) {
                return Err("the second pass cannot be told from the first".into());
            }
            self.snapshot = None;
        }
        for object in objects {
            let mut error = None;
            self.traverse(*object, Phase::Subtract, &mut |target| {
                if let Some(count) = counts.get_mut(&target) {
                    *count -= 1;
                    if *count < 0 {
                        error = Some(format!("py{target}: more references than it has (subtracting)"));
                    }
                }
            });
            if let Some(error) = error {
                return Err(error);
            }
        }
        let mut work: Vec<usize> = objects.iter().copied().filter(|o| counts[o] > 0).collect();
        let mut reached: Vec<usize> = work.clone();
        work.iter().for_each(|o| _ = counts.remove(o));
        while let Some(object) = work.pop() {
            let mut found = Vec::new();
            self.traverse(object, Phase::Reach(pass, &mut found), &mut |_| ());
            for target in found {
                if counts.remove(&target).is_some() {
                    work.push(target);
                    reached.push(target);
                }
            }
        }
        Ok(counts.into_keys().collect())
    }

    /// Whether the old snapshot would take the first wrapper that it knows for one of its own pass.
    fn would_go_on(&mut self, objects: &[usize]) -> bool {
        let Some(snapshot) = &mut self.snapshot else {
            return false;
        };
        if snapshot.is_reaching() {
            return false;
        }
        let goes_on = objects.iter().find_map(|object| {
            // SAFETY: a wrapper's object is alive as long as it is.
            let native = unsafe { with(|py| py.objects[*object].native)?.as_ref() };
            if snapshot.visitor() == SUBTRACT && snapshot.visit_action(pointer(*object)).is_some() {
                return Some(true);
            }
            match snapshot.find_node(native) {
                Some(node) => Some(!snapshot.has_subtracted(node)),
                None => snapshot.has_lost(native).then_some(false),
            }
        });
        goes_on.unwrap_or(false)
    }

    fn traverse(&mut self, object: usize, mut phase: Phase<'_>, subtract: &mut dyn FnMut(usize)) {
        let (refs, native) = with(|py| (py.objects[object].refs.clone(), py.objects[object].native));
        let mut visit = |target: usize| match &mut phase {
            Phase::Subtract => subtract(target),
            Phase::Reach(_, found) => found.push(target),
        };
        refs.into_iter().for_each(&mut visit);
        let (Some(native), true) = (native, self.full) else {
            return;
        };
        // SAFETY: a wrapper's object is alive as long as it is.
        let native = unsafe { native.as_ref() };
        if matches!(phase, Phase::Subtract) && self.snapshot.is_none() {
            let tag = with(|py| py.tag);
            with(|py| py.detached = true);
            let take = if self.pass == 1 {
                Snapshot::take_first
            } else {
                Snapshot::take_snapshot
            };
            self.snapshot = take(tag, &|wrapper| {
                // A survey may ask while the test acts.
                PY.with(|py| py.try_borrow().is_ok_and(|py| !py.objects[number(wrapper)].freed))
            });
            with(|py| py.detached = false);
        }
        let Some(snapshot) = &mut self.snapshot else {
            return;
        };
        let (subtracting, visitor) = match &phase {
            Phase::Subtract => (true, SUBTRACT),
            Phase::Reach(pass, _) => (false, SUBTRACT + 1 + *pass),
        };
        let mut visit = |target: *mut std::ffi::c_void| {
            match &mut phase {
                Phase::Subtract => subtract(number(target)),
                Phase::Reach(_, found) => found.push(number(target)),
            }
            0
        };
        if snapshot.visitor() == visitor
            && let Some(turn) = snapshot.visit_action(pointer(object))
        {
            match turn {
                VisitAction::Nothing => {}
                VisitAction::One(target) => _ = visit(target),
                VisitAction::More(node) => _ = snapshot.run_visit_action(node, &mut visit),
            }
            return;
        }
        match snapshot.find_node(native) {
            Some(node) if subtracting => snapshot.subtract_edges(node, visitor, &mut visit),
            Some(node) => snapshot.visit_edges(node, visitor, &mut visit),
            None => return,
        };
        debug_assert_eq!(number(pointer(object)), object);
    }
}
