"""Pickling: a module travels as its text, with locations, and a context as a new one.

Modules that are pickled together and were of one context are of one context again. What is inside of a module has no
pickle of its own: it is found in the module. Attributes that Python gave to a module go along.
"""

import copyreg

from ._pairbond_ir import Context, Module


def _module(text, context):
    return Module.parse(text, context)


def _reduce_module(module):
    state = {**vars(module)} or None
    return _module, (module.get_asm(enable_debug_info=True), module.context), state


def _reduce_context(_):
    return Context, ()


copyreg.pickle(Module, _reduce_module)
copyreg.pickle(Context, _reduce_context)
