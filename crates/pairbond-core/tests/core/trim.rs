//! A dormant wrapper is given back.

use pairbond_core::object::{Custody, Holder, Pair, Released};

fn wrapper(number: usize) -> Pair {
    Pair::new(7, std::ptr::without_provenance_mut(number * 16))
}

/// A thread may have found no wrapper, and be on its way with one, while another one's was published and given back.
#[test]
fn a_trimmed_object_stays_claimed() {
    let custody = Custody::native();
    custody.claim(7).unwrap();
    custody.publish(wrapper(1)).unwrap();
    assert_eq!(custody.trim(), Some(Released::Shared));
    assert_eq!(
        (custody.state().holder(), custody.state().strong()),
        (Holder::Unwrapped, 1)
    );
    assert_eq!(custody.claim(8), Err(7), "it is still the first interpreter's");
    custody.publish(wrapper(2)).unwrap();
    assert_eq!(custody.pair(), wrapper(2));
}

#[test]
fn nothing_is_taken_from_who_keeps_the_object() {
    let wrapped = Custody::wrapped(wrapper(1));
    assert_eq!(wrapped.trim(), None, "Python has custody");
    let custody = Custody::native();
    assert_eq!(custody.trim(), None, "there is none");
    custody.claim(7).unwrap();
    custody.publish(wrapper(1)).unwrap();
    assert_eq!(custody.release(), Released::HandedOver(wrapper(1)));
    assert_eq!(custody.trim(), None);
    assert_eq!(custody.pair(), wrapper(1));
}
