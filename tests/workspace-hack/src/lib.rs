//! Nothing: what matters are the features that its manifest asks for.
