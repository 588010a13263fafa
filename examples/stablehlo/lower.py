#!/usr/bin/env python3
"""What wrote `transformer.mlir`: a step of training a transformer block with JAX, lowered to StableHLO.

    pip install jax==0.12.0.1
    python lower.py > transformer.mlir

The block is GPT-2's: layer norm, causal attention with four heads, layer norm, two dense layers with GELU between them;
here with 64 features, on sequences of 32 tokens out of 256, with a softmax cross-entropy and plain gradient descent.
Weights are arguments, so that the text holds no numbers but constants of the model.
"""

import jax
import jax.numpy as jnp

FEATURES, HEADS, TOKENS, LENGTH, BATCH = 64, 4, 256, 32, 8


def layer_norm(x, weights):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * weights["scale"] + weights["shift"]


def dense(x, weights):
    return x @ weights["matrix"] + weights["bias"]


def attention(x, weights):
    batch, length, features = x.shape
    parts = dense(x, weights["in"]).reshape(batch, length, 3, HEADS, features // HEADS)
    query, key, value = (parts[:, :, part] for part in range(3))
    scores = jnp.einsum("bqhf,bkhf->bhqk", query, key) / jnp.sqrt(features // HEADS)
    seen = jnp.tril(jnp.ones((length, length), dtype=bool))
    shares = jax.nn.softmax(jnp.where(seen, scores, -1e9), axis=-1)
    mixed = jnp.einsum("bhqk,bkhf->bqhf", shares, value)
    return dense(mixed.reshape(batch, length, features), weights["out"])


def block(x, weights):
    x = x + attention(layer_norm(x, weights["first"]), weights["attention"])
    hidden = jax.nn.gelu(dense(layer_norm(x, weights["second"]), weights["up"]))
    return x + dense(hidden, weights["down"])


def loss(weights, tokens):
    x = weights["tokens"][tokens[:, :-1]] + weights["places"]
    scores = layer_norm(block(x, weights["block"]), weights["last"]) @ weights["tokens"].T
    right = jnp.take_along_axis(jax.nn.log_softmax(scores), tokens[:, 1:, None], axis=-1)
    return -jnp.mean(right)


def train(weights, tokens, rate):
    """One step: the loss, and better weights."""
    value, slope = jax.value_and_grad(loss)(weights, tokens)
    return value, jax.tree.map(lambda weight, by: weight - rate * by, weights, slope)


def shapes():
    def of(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    def matrix(rows, columns):
        return {"matrix": of(rows, columns), "bias": of(columns)}

    norm = {"scale": of(FEATURES), "shift": of(FEATURES)}
    return {
        "tokens": of(TOKENS, FEATURES),
        "places": of(LENGTH, FEATURES),
        "last": norm,
        "block": {
            "first": norm,
            "attention": {"in": matrix(FEATURES, 3 * FEATURES), "out": matrix(FEATURES, FEATURES)},
            "second": norm,
            "up": matrix(FEATURES, 4 * FEATURES),
            "down": matrix(4 * FEATURES, FEATURES),
        },
    }


def main():
    tokens = jax.ShapeDtypeStruct((BATCH, LENGTH + 1), jnp.int32)
    rate = jax.ShapeDtypeStruct((), jnp.float32)
    lowered = jax.jit(train).lower(shapes(), tokens, rate)
    print(lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True), end="")


if __name__ == "__main__":
    main()
