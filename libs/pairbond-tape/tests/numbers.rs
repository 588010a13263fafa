//! The tape under a library of numbers, which has neither Python nor views.

mod number;

use number::{
    Number, backward_from, grad_of, gradient_by, gradient_root, mul, new_leaf, new_number, scalar_meta,
};
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond_tape::{
    Meta, Mode, Value, Variable, as_variable, pop_saved_tensors_hooks, push_saved_tensors_hooks, run_backward,
};

/// Of another library.
#[pairbond::object("numbers.Other", extends = Variable, opaque)]
struct Other {
    variable: Variable,
    grad: Cell<Option<Ref<Other>>>,
}

fn new_other() -> Ref<Other> {
    Ref::new(Other {
        variable: Variable::new::<Other>(),
        grad: Cell::new(None),
    })
}

impl Value for Other {
    fn variable(&self) -> &Variable {
        &self.variable
    }
    fn grad(&self) -> &Cell<Option<Ref<Other>>> {
        &self.grad
    }
    fn meta(&self) -> Meta {
        scalar_meta()
    }
    fn full(_: f64, _: &Meta, _: Option<&ErasedRef>) -> Result<Ref<Other>> {
        Ok(new_other())
    }
    fn add(one: &Ref<Other>, _: &Ref<Other>) -> Result<Ref<Other>> {
        Ok(one.clone())
    }
    fn detach(_: &Ref<Other>) -> Result<Ref<Other>> {
        Ok(new_other())
    }
}

#[test]
fn derivatives_have_derivatives() {
    let x = new_leaf(3.0);
    let cube = mul(&x, &mul(&x, &x).unwrap()).unwrap();
    let first = gradient_by(&cube, &x);
    let second = gradient_by(&first, &x);
    let third = gradient_by(&second, &x);
    assert_eq!((first.value, second.value, third.value), (27.0, 18.0, 6.0));
}

#[test]
fn a_graph_runs_once_unless_it_is_kept() {
    let x = new_leaf(3.0);
    let y = mul(&x, &x).unwrap();
    run_backward(&[gradient_root(&y)], None, Some(true), false, None).unwrap();
    backward_from(&y).unwrap();
    assert_eq!(grad_of(&x), 12.0);
    let error = backward_from(&y).unwrap_err();
    assert!(error.to_string().contains("a second time"), "{error}");
}

#[test]
fn nothing_is_recorded_where_the_mode_says_so() {
    let x = new_leaf(3.0);
    let y = {
        let _mode = Mode::set(false);
        mul(&x, &x).unwrap()
    };
    assert!(!y.requires_grad());
    assert!(mul(&x, &x).unwrap().requires_grad());
}

#[test]
fn what_has_no_cycle_goes_at_once_and_cycles_are_collected() {
    let (x, unused) = (new_leaf(3.0), new_leaf(1.0));
    let y = mul(&x, &x).unwrap();
    let watched = y.downgrade();
    drop(y);
    assert!(watched.upgrade().is_none());

    // A result that its own node knows, and a gradient with a history.
    let y = mul(&x, &x).unwrap();
    let node = y.recorded_node().unwrap();
    node.metadata().insert("result".into(), y.clone().into()).unwrap();
    run_backward(&[gradient_root(&y)], None, None, true, None).unwrap();
    let watched = (x.downgrade(), y.downgrade(), node.downgrade());
    drop((x, y, node));
    assert!(watched.0.upgrade().is_some() && watched.2.upgrade().is_some());
    pairbond::collect();
    assert!(watched.0.upgrade().is_none() && watched.1.upgrade().is_none() && watched.2.upgrade().is_none());
    drop(unused);
}

#[test]
fn hooks_replace_gradients() {
    let x = new_leaf(3.0);
    let y = mul(&x, &x).unwrap();
    let twice = Function::build("twice").from(|grad: Ref<Number>| mul(&grad, &new_number(2.0)));
    let handle = Variable::register_hook(as_variable(&y).as_borrow(), twice).unwrap();
    run_backward(&[gradient_root(&y)], None, Some(true), false, None).unwrap();
    assert_eq!(grad_of(&x), 12.0);
    handle.remove();
    backward_from(&y).unwrap();
    assert_eq!(grad_of(&x), 18.0);

    let z = mul(&x, &x).unwrap();
    let wrong = Function::build("wrong").from(|_: Any| new_other());
    Variable::register_hook(as_variable(&z).as_borrow(), wrong).unwrap();
    let error = backward_from(&z).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected a numbers.Number on the tape, not a numbers.Other"),
        "{error}"
    );
}

#[test]
fn saved_values_are_packed() {
    let pack = Function::build("pack").from(|value: Ref<Number>| value.value);
    let unpack = Function::build("unpack").from(|packed: f64| new_number(packed + 1.0));
    let x = new_leaf(3.0);
    push_saved_tensors_hooks(pack, unpack);
    let y = mul(&x, &new_number(5.0)).unwrap();
    pop_saved_tensors_hooks();
    backward_from(&y).unwrap();
    assert_eq!(grad_of(&x), 6.0);
}

#[test]
fn a_chain_of_any_length_takes_no_stack() {
    let length = if cfg!(miri) { 1_000 } else { 300_000 };
    let run = move || {
        let (x, one) = (new_leaf(3.0), new_number(1.0));
        let mut y = x.clone();
        for _ in 0..length {
            y = mul(&y, &one).unwrap();
        }
        backward_from(&y).unwrap();
        assert_eq!(grad_of(&x), 1.0);
        // Never run, and in a cycle.
        let mut z = x.clone();
        for _ in 0..length {
            z = mul(&z, &one).unwrap();
        }
        let node = z.recorded_node().unwrap();
        node.metadata().insert("result".into(), z.clone().into()).unwrap();
        let watched = z.downgrade();
        drop((z, node));
        pairbond::collect();
        watched.upgrade().is_none()
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    assert!(thread.spawn(run).unwrap().join().unwrap());
}

#[test]
fn threads_add_to_one_leaf() {
    let x = new_leaf(3.0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..250 {
                    backward_from(&mul(&x, &new_number(2.0)).unwrap()).unwrap();
                }
            });
        }
    });
    assert_eq!(grad_of(&x), 2000.0);
}
