//! Functions whose derivative is written in Rust by hand.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond::prelude::*;
use pairbond::trace::Trace;

use crate::engine::{self, Given};
use crate::graph::{
    Grads, Meta, Node, Rule, T, Value, as_variable, downcast_value, edge_of, into_variable, set_history,
};
use crate::mode::{Mode, is_grad_enabled};

/// A function of several values with several results, and its derivative. It is called by
/// [`apply_function`].
///
/// An operation of one result is written with [`record`](crate::record), which is shorter.
///
/// # Examples
/// ```
/// # use pairbond::prelude::*;
/// # use pairbond::refs::ErasedRef;
/// # use pairbond_tape::{Meta, Save, Value, Variable, record};
/// use pairbond_tape::{Context, CustomFunction, Given, Root, apply_function};
/// use pairbond_tape::{into_variable, require_grad, run_backward};
/// #
/// # #[pairbond::object("numbers.Number", extends = Variable, opaque)]
/// # pub struct Number {
/// #     variable: Variable,
/// #     value: f64,
/// #     grad: Cell<Option<Ref<Number>>>,
/// # }
/// # fn number(value: f64) -> Ref<Number> {
/// #     Ref::new(Number { variable: Variable::new::<Number>(), value, grad: Cell::new(None) })
/// # }
/// # impl Value for Number {
/// #     fn variable(&self) -> &Variable {
/// #         &self.variable
/// #     }
/// #     fn grad(&self) -> &Cell<Option<Ref<Number>>> {
/// #         &self.grad
/// #     }
/// #     fn meta(&self) -> Meta {
/// #         Meta { shape: Default::default(), kind: 0 }
/// #     }
/// #     fn full(value: f64, _: &Meta, _: Option<&ErasedRef>) -> Result<Ref<Number>> {
/// #         Ok(number(value))
/// #     }
/// #     fn add(one: &Ref<Number>, other: &Ref<Number>) -> Result<Ref<Number>> {
/// #         let out = number(one.value + other.value);
/// #         record("AddBackward", [one, other], &[], (), out, |given, ()| {
/// #             Ok([Some(given.grad().clone()), Some(given.grad().clone())])
/// #         })
/// #     }
/// #     fn detach(this: &Ref<Number>) -> Result<Ref<Number>> {
/// #         Ok(number(this.value))
/// #     }
/// # }
/// # fn mul(one: &Ref<Number>, other: &Ref<Number>) -> Result<Ref<Number>> {
/// #     let saves = [Save::For(0, other), Save::For(1, one)];
/// #     let out = number(one.value * other.value);
/// #     record("MulBackward", [one, other], &saves, (), out, |given, ()| {
/// #         let times = |input| mul(given.grad(), &given.saved_for(input)?);
/// #         Ok([given.when(0, || times(0))?, given.when(1, || times(1))?])
/// #     })
/// # }
///
/// /// Sine and cosine, computed together.
/// struct SinCos;
///
/// impl CustomFunction<Number> for SinCos {
///     const NAME: &'static str = "SinCosBackward";
///     type Params = ();
///
///     fn forward(
///         ctx: &mut Context<'_, Number>,
///         (): &(),
///         inputs: &[Ref<Number>],
///     ) -> Result<Vec<Ref<Number>>> {
///         let (sin, cos) = inputs[0].value.sin_cos();
///         let results = vec![number(sin), number(cos)];
///         ctx.save(&results[0]);
///         ctx.save(&results[1]);
///         Ok(results)
///     }
///
///     fn backward(
///         ctx: &Given<'_, Number>,
///         (): &(),
///         grads: &[Option<Ref<Number>>],
///     ) -> Result<Vec<Option<Ref<Number>>>> {
///         let grad = |result: usize| grads[result].clone().unwrap_or_else(|| number(0.0));
///         let (by_sin, by_cos) = (grad(0), grad(1));
///         let (sin, cos) = (ctx.saved(0)?, ctx.saved(1)?);
///         let less = mul(&by_cos, &mul(&sin, &number(-1.0))?)?;
///         Ok(vec![Some(Number::add(&mul(&by_sin, &cos)?, &less)?)])
///     }
/// }
///
/// let x = number(0.5);
/// require_grad(&*x, true)?;
/// let both = apply_function::<_, SinCos>((), &[x.clone()])?;
/// let y = Number::add(&both[0], &mul(&both[1], &number(3.0))?)?;
/// run_backward(&[Root::Value(into_variable(y))], None, None, false, None)?;
/// assert_eq!(x.grad.get().unwrap().value, 0.5_f64.cos() - 3.0 * 0.5_f64.sin());
/// # Ok::<(), Error>(())
/// ```
pub trait CustomFunction<V: Value>: 'static {
    /// The name of its nodes.
    const NAME: &'static str;

    /// Numbers, shapes and the like. They own no values, which the compiler checks: those are
    /// inputs, or saved.
    type Params: Trace + Send + Sync + 'static;

    /// Computes the results. Nothing is recorded meanwhile.
    ///
    /// # Errors
    /// Any, which [`apply_function`] returns.
    fn forward(ctx: &mut Context<'_, V>, params: &Self::Params, inputs: &[Ref<V>]) -> Result<Vec<Ref<V>>>;

    /// Computes the gradients of the inputs from those of the results, of which `None` is zero. It
    /// has a derivative itself if it is made of operations that are recorded.
    ///
    /// # Errors
    /// Any, which ends the run.
    fn backward(
        ctx: &Given<'_, V>,
        params: &Self::Params,
        grads: &[Option<Ref<V>>],
    ) -> Result<Vec<Option<Ref<V>>>>;
}

/// The context of one call of a [`CustomFunction`], while it computes. It is the node that
/// `backward` is called with.
#[derive(Debug)]
pub struct Context<'a, V: Value> {
    node: &'a Ref<Node>,
    saves: Vec<Ref<V>>,
}

impl<V: Value> Context<'_, V> {
    /// Saves an input, a result or another value. Results are saved so that the node does not own
    /// them.
    pub fn save(&mut self, value: &Ref<V>) {
        self.saves.push(value.clone());
    }

    /// Whether the gradient of an input is wanted.
    #[must_use]
    pub fn needs_gradient(&self, input: usize) -> bool {
        self.node.leads_on(input)
    }

    /// Returns the node, whose `metadata` can have other things.
    #[must_use]
    pub fn node(&self) -> &Ref<Node> {
        self.node
    }
}

/// The parameters of a call, and how many results there are.
struct Call<P> {
    params: P,
    results: AtomicUsize,
}

/// The derivative of a function.
struct Custom<V: Value, F: CustomFunction<V>> {
    call: Arc<Call<F::Params>>,
    inputs: Vec<Meta>,
    of: PhantomData<fn() -> V>,
}

impl<V: Value, F: CustomFunction<V>> Rule for Custom<V, F> {
    fn name(&self, _: Borrow<'_, Node>) -> Str {
        F::NAME.into()
    }

    fn is_custom(&self) -> bool {
        true
    }

    fn compute_grads(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        let own = |grad: &Option<T>| {
            grad.as_ref()
                .map(|grad| downcast_value(grad).cloned())
                .transpose()
        };
        let mut own = grads.iter().map(own).collect::<Result<Vec<_>>>()?;
        // Those after the last that there is are missing.
        own.resize(self.call.results.load(Ordering::Acquire), None);
        let found = F::backward(&Given::for_node(node, grads), &self.call.params, &own)?;
        if found.len() != self.inputs.len() {
            return Err(Error::runtime_error(format!(
                "function {} returned an incorrect number of gradients (expected {}, got {})",
                F::NAME,
                self.inputs.len(),
                found.len()
            )));
        }
        let each = found.into_iter().zip(&self.inputs).enumerate();
        each.map(|(place, (grad, meta))| {
            grad.map(|grad| fit_input_grad::<V, F>(place, &grad, meta))
                .transpose()
        })
        .collect()
    }
}

/// A gradient in the shape of its input.
fn fit_input_grad<V: Value, F: CustomFunction<V>>(place: usize, grad: &Ref<V>, meta: &Meta) -> Result<T> {
    let given = grad.meta();
    if given.shape == meta.shape && given.kind == meta.kind {
        return Ok(as_variable(grad).clone());
    }
    V::fit_gradient(grad, meta)?.map(into_variable).ok_or_else(|| {
        Error::runtime_error(format!(
            "Function {} returned an invalid gradient at index {place} - got {:?} but expected shape compatible with {:?}",
            F::NAME,
            given.shape,
            meta.shape
        ))
    })
}

/// Calls a function, and gives its results their history, if a derivative may be wanted.
///
/// A result that is an input, or that is returned twice, becomes another value of the same numbers.
///
/// # Errors
/// Those of `forward`, and of hooks of saved values and anomaly mode.
pub fn apply_function<V: Value, F: CustomFunction<V>>(
    params: F::Params,
    inputs: &[Ref<V>],
) -> Result<Vec<Ref<V>>> {
    const { assert!(!F::Params::TRACED, "parameters own no tensors: save them") };
    let recorded = is_grad_enabled() && inputs.iter().any(|input| input.variable().requires_grad());
    let next = match recorded {
        true => inputs.iter().map(|input| edge_of(as_variable(input))).collect(),
        false => Vec::new(),
    };
    let call = Arc::new(Call {
        params,
        results: AtomicUsize::new(0),
    });
    let rule = Custom::<V, F> {
        call: call.clone(),
        inputs: inputs.iter().map(|input| input.meta()).collect(),
        of: PhantomData,
    };
    let node = Ref::new(Node::from_rule(Some(Box::new(rule)), next));
    let mut ctx = Context {
        node: &node,
        saves: Vec::new(),
    };
    let mut results = {
        let _mode = Mode::set(false);
        F::forward(&mut ctx, &call.params, inputs)?
    };
    call.results.store(results.len(), Ordering::Release);
    let saves = ctx.saves;
    if !recorded {
        return Ok(results);
    }
    node.count_again();
    engine::trace_creation(&node)?;
    let is_input = |value: &Ref<V>| inputs.iter().any(|input| input.is(value));
    let place = |value: &Ref<V>| {
        results
            .iter()
            .rposition(|result| result.is(value) && !is_input(value))
    };
    let places: Vec<_> = saves.iter().map(place).collect();
    for number in 0..results.len() {
        let (before, own) = (&results[..number], &results[number]);
        if is_input(own) || before.iter().any(|it| it.is(own)) {
            results[number] = V::detach(own)?;
        }
        let result = &results[number];
        if result.is_differentiable() {
            let variable = result.variable();
            set_history(variable, node.clone(), u32::try_from(number)?);
            variable.seen.store(result.version(), Ordering::Release);
        }
    }
    let put = |(value, place): (&Ref<V>, Option<usize>)| match place
        .filter(|&it| results[it].is_differentiable())
    {
        Some(number) => engine::save_result(as_variable(&results[number]), u32::try_from(number)?, true),
        None => engine::save_input(as_variable(value)),
    };
    node.keep_saved(saves.iter().zip(places).map(put).collect::<Result<_>>()?);
    Ok(results)
}
