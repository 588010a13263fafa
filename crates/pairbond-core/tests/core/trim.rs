//! A dormant wrapper is given back.

use pairbond_core::object::{Custody, Holder, Pair, Released};

fn wrapper(number: usize) -> Pair {
    Pair::new(7, std::ptr::without_provenance_mut(number * 16))
}

/// A thread may have found no wrapper, and be on its way with one, while another one's was
/// published and given back.
#[test]
fn a_trimmed_object_stays_claimed() {
    let custody = Custody::new_native();
    custody.claim_for(7).unwrap();
    custody.publish_wrapper(wrapper(1)).unwrap();
    assert_eq!(custody.trim(), Some(Released::Shared));
    assert_eq!(
        (custody.state().holder(), custody.state().strong()),
        (Holder::Unwrapped, 1)
    );
    assert_eq!(
        custody.claim_for(8),
        Err(7),
        "it is still the first interpreter's"
    );
    custody.publish_wrapper(wrapper(2)).unwrap();
    assert_eq!(custody.pair(), wrapper(2));
}

/// A frontend notes that it lists a wrapper: with the pair as long as that lasts, and with no
/// other.
#[test]
fn a_wrapper_is_noted_as_listed_once() {
    let custody = Custody::new_native();
    custody.claim_for(7).unwrap();
    custody.publish_wrapper(wrapper(1).with_overriding()).unwrap();
    assert!(!custody.pair().is_listed());
    assert!(custody.note_listed(), "the first");
    assert!(!custody.note_listed(), "the second");
    let pair = custody.pair();
    assert!(pair.is_listed() && pair.may_override());
    assert_eq!((pair.tag(), pair.wrapper()), (7, wrapper(1).wrapper()));
    assert_eq!(custody.trim(), Some(Released::Shared));
    custody.publish_wrapper(wrapper(2)).unwrap();
    assert_eq!(custody.pair(), wrapper(2), "another wrapper is not listed");
}

#[test]
fn nothing_is_taken_from_who_keeps_the_object() {
    let wrapped = Custody::new_wrapped(wrapper(1));
    assert_eq!(wrapped.trim(), None, "Python has custody");
    let custody = Custody::new_native();
    assert_eq!(custody.trim(), None, "there is none");
    custody.claim_for(7).unwrap();
    custody.publish_wrapper(wrapper(1)).unwrap();
    assert_eq!(custody.release(), Released::HandedOver(wrapper(1)));
    assert_eq!(custody.trim(), None);
    assert_eq!(custody.pair(), wrapper(1));
}
