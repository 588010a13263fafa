//! Lists that are asked by place and edited in turn, against an array.

use pairbond_core::object::Ref;
use pairbond_testing::random::{seeded_rng, step_count};
use pairbond_tree::TreeNode;

use crate::nodes::{Alive, Op, op_numbers, ops_of};

#[test]
fn places_are_those_of_an_array_whatever_is_edited_between() {
    let (alive, mut random) = (Alive::default(), seeded_rng("places"));
    let (block, other) = (alive.new_block(), alive.new_block());
    let mut model: Vec<Ref<Op>> = Vec::new();
    let mut aside: Vec<Ref<Op>> = Vec::new();
    let many: usize = if cfg!(miri) { 300 } else { 6000 };
    for number in 0..many {
        let op = alive.new_op(number as u32);
        ops_of(&block).push(&op).unwrap();
        model.push(op);
    }
    for step in 0..step_count(if cfg!(miri) { 30 } else { 6000 }) {
        // Edits in a row now and then, and a list that grows and shrinks.
        let edits = if random.usize(..400) == 0 {
            many
        } else {
            random.usize(..3)
        };
        let grows = (step / 1500) % 2 == 0;
        for _ in 0..edits {
            let at = random.usize(..=model.len());
            match random.usize(..8) {
                0..3 if grows => {
                    let op = aside.pop().unwrap_or_else(|| alive.new_op(9));
                    match model.get(at) {
                        Some(before) => ops_of(&block).insert_before(before, &op).unwrap(),
                        None => ops_of(&block).push(&op).unwrap(),
                    }
                    model.insert(at, op);
                }
                0..4 if at < model.len() => {
                    let op = model.remove(at);
                    op.detach().unwrap();
                    aside.push(op);
                }
                4 if at < model.len() => {
                    // A range to another list and back, to another place.
                    let end = (at + 1 + random.usize(..300)).min(model.len());
                    let range: Vec<_> = model.drain(at..end).collect();
                    let (first, last) = (&range[0], &range[range.len() - 1]);
                    if random.bool() {
                        ops_of(&other).splice(None, first, last).unwrap();
                        let place = random.usize(..range.len());
                        assert!(ops_of(&other).get(place).unwrap().is(&range[place]));
                    }
                    let to = random.usize(..=model.len());
                    ops_of(&block).splice(model.get(to), first, last).unwrap();
                    model.splice(to..to, range);
                }
                5 if model.len() > 1 => {
                    // Always at the same place, which makes pages full.
                    let op = model.pop().unwrap();
                    ops_of(&block).splice(Some(&model[0]), &op, &op).unwrap();
                    model.insert(0, op);
                }
                _ => {}
            }
        }
        let place = random.usize(..model.len() + 2);
        match (ops_of(&block).get(place), model.get(place)) {
            (Some(found), Some(wanted)) => {
                assert!(found.is(wanted), "step {step}, place {place}");
                assert_eq!(ops_of(&block).index_of(&found), Some(place));
            }
            (None, None) => {}
            (found, _) => panic!("step {step}, place {place}: {}", found.is_some()),
        }
    }
    assert_eq!(ops_of(&block).to_vec().len(), model.len());
    for (place, op) in model.iter().enumerate() {
        assert_eq!(ops_of(&block).index_of(op), Some(place));
        assert!(ops_of(&block).get(place).unwrap().is(op));
    }
    drop((model, aside, block, other));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_list_that_was_asked_and_edited_is_erased_whole() {
    let alive = Alive::default();
    let block = alive.new_block();
    let many = if cfg!(miri) { 300 } else { 1000 };
    for number in 0..many {
        ops_of(&block).push_owned(alive.new_op(number as u32)).unwrap();
    }
    for _ in 0..10 {
        let first = ops_of(&block).first().unwrap();
        ops_of(&block).splice(None, &first, &first).unwrap();
        assert_eq!(ops_of(&block).index_of(&first), Some(many - 1));
        assert!(ops_of(&block).get(many / 2).is_some());
    }
    assert_eq!(op_numbers(ops_of(&block))[..2], [10, 11]);
    block.erase().unwrap();
    assert_eq!(ops_of(&block).len(), 0);
    drop(block);
    assert_eq!(alive.live_count(), 0);
}
