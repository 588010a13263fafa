// ----- use_before_def
// right
"builtin.module"() ({ "t.use"(%0) : (i32) -> ()
 %0 = "t.def"() : () -> i32 }) : () -> ()
// ----- use_before_def_func
// error: operand #0 does not dominate this use
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "t.use"(%0) : (i32) -> ()
 %0 = "t.def"() : () -> i32
 "func.return"() : () -> () }) : () -> ()
// ----- unreg_region
// right
"t.region"() ({ "t.use"(%0) : (i32) -> ()
 %0 = "t.def"() : () -> i32 }) : () -> ()
// ----- unreg_region_two_blocks
// error: operand #0 does not dominate this use
"t.region"() ({ "t.br"()[^bb1] : () -> ()
^bb1: "t.use"(%0) : (i32) -> ()
 %0 = "t.def"() : () -> i32
 "t.end"() : () -> () }) : () -> ()
// ----- unreg_nest_two
// error: operand #0 does not dominate this use
"t.region"() ({ "t.br"()[^bb1] : () -> ()
^bb1: "t.use"(%0) : (i32) -> ()
^bb2: %0 = "t.def"() : () -> i32
 "t.br"()[^bb1] : () -> () }) : () -> ()
// ----- func_no_term
// right
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "t.use"() : () -> () }) : () -> ()
// ----- func_arith_last
// error: block with no terminator, has %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32 }) : () -> ()
// ----- func_empty_block
// error: empty block: expect at least a terminator
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ ^bb0: }) : () -> ()
// ----- unreg_empty_block
// right
"t.region"() ({ ^bb0: }) : () -> ()
// ----- unreg_two_empty
// error: empty block: expect at least a terminator
"t.region"() ({ ^bb0:
 ^bb1: }) : () -> ()
// ----- unreg_two_nosucc
// right
"t.region"() ({ "t.a"() : () -> ()
 ^bb1: "t.b"() : () -> () }) : () -> ()
// ----- unreg_two_arith
// error: block with no terminator, has %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
"t.region"() ({ %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
 ^bb1: "t.b"() : () -> () }) : () -> ()
// ----- ret_mid
// error: 'func.return' op must be the last operation in the parent block
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "func.return"() : () -> ()
 "func.return"() : () -> () }) : () -> ()
// ----- succ_mid
// error: operation with block successors must terminate its parent block
"t.region"() ({ "t.br"()[^bb1] : () -> ()
  "t.a"() : () -> ()
 ^bb1: "t.b"() : () -> () }) : () -> ()
// ----- isolated
// error: 't.use' op using value defined outside the region
"builtin.module"() ({ %0 = "t.def"() : () -> i32
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "t.use"(%0) : (i32) -> ()
 "func.return"() : () -> () }) : () -> ()  }) : () -> ()
// ----- nested_module_iso
// error: 't.use' op using value defined outside the region
"builtin.module"() ({ %0 = "t.def"() : () -> i32
"builtin.module"() ({ "t.use"(%0) : (i32) -> () }) : () -> ()  }) : () -> ()
// ----- nested_unreg
// right
"builtin.module"() ({ %0 = "t.def"() : () -> i32
"t.r"() ({ "t.use"(%0) : (i32) -> () }) : () -> ()  }) : () -> ()
// ----- inner_to_outer_use
// error: use of undeclared SSA value name
"builtin.module"() ({ "t.r"() ({ %0 = "t.def"() : () -> i32 }) : () -> ()
 "t.use"(%0) : (i32) -> ()  }) : () -> ()
// ----- self_use_graph
// right
"builtin.module"() ({ %0 = "t.def"(%0) : (i32) -> i32 }) : () -> ()
// ----- self_use_ssa
// error: operand #0 does not dominate this use
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ %0 = "t.def"(%0) : (i32) -> i32
  "func.return"() : () -> () }) : () -> ()
// ----- result_in_own_region
// error: operand #0 does not dominate this use
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ %0 = "t.def"() ({ "t.use"(%0) : (i32) -> () }) : () -> i32
  "func.return"() : () -> () }) : () -> ()
// ----- br_args_bad
// error: type mismatch for bb argument #0 of successor #0
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({ ^bb0(%a: i32): "cf.br"(%a)[^bb1] : (i32) -> ()
 ^bb1(%x: i64): "func.return"() : () -> () }) : () -> ()
// ----- br_args_count
// error: branch has 0 operands for successor #0, but target block has 1
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({ ^bb0(%a: i32): "cf.br"()[^bb1] : () -> ()
 ^bb1(%x: i64): "func.return"() : () -> () }) : () -> ()
// ----- entry_pred
// error: entry block of region may not have predecessors
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ ^bb0: "cf.br"()[^bb0] : () -> () }) : () -> ()
// ----- unreg_entry_pred
// error: entry block of region may not have predecessors
"t.f"() ({ ^bb0: "t.br"()[^bb0] : () -> () }) : () -> ()
// ----- unreachable
// right
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "func.return"() : () -> ()
 ^bb1: "t.use"(%0) : (i32) -> ()
 %0 = "t.def"() : () -> i32
 "cf.br"()[^bb1] : () -> () }) : () -> ()
// ----- from_unreachable
// error: operand #0 does not dominate this use
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "t.use"(%0) : (i32) -> ()
 "func.return"() : () -> ()
 ^bb1:
 %0 = "t.def"() : () -> i32
 "cf.br"()[^bb1] : () -> () }) : () -> ()
// ----- diamond
// error: operand #0 does not dominate this use
"func.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({ ^bb0(%c: i1): "cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
 ^bb1: %0 = "t.def"() : () -> i32
 "cf.br"()[^bb3] : () -> ()
 ^bb2: "cf.br"()[^bb3] : () -> ()
 ^bb3: "t.use"(%0) : (i32) -> ()
 "func.return"() : () -> () }) : () -> ()
// ----- return_count
// error: 'func.return' op has 0 operands, but enclosing function (@f) returns 1
"func.func"() <{function_type = () -> (i32), sym_name = "f"}> ({ "func.return"() : () -> () }) : () -> ()
// ----- return_type
// error: type of return operand 0 ('i64') doesn't match function result type ('i32') in function @f
"func.func"() <{function_type = (i64) -> (i32), sym_name = "f"}> ({ ^bb0(%a: i64): "func.return"(%a) : (i64) -> () }) : () -> ()
// ----- func_args
// error: 'func.func' op type of entry block argument #0('i32') must match the type of the corresponding argument in function signature('i64')
"func.func"() <{function_type = (i64) -> (), sym_name = "f"}> ({ ^bb0(%a: i32): "func.return"() : () -> () }) : () -> ()
// ----- func_nosym
// error: 'func.func' op requires attribute 'sym_name'
"func.func"() <{function_type = () -> ()}> ({ "func.return"() : () -> () }) : () -> ()
// ----- func_decl
// right
"func.func"() <{function_type = () -> (), sym_name="f", sym_visibility="private"}> ({ }) : () -> ()
// ----- func_decl_public
// error: 'func.func' op symbol declaration cannot have public visibility
"func.func"() <{function_type = () -> (), sym_name="f"}> ({ }) : () -> ()
// ----- dup_symbols
// error: redefinition of symbol named 'f'
"builtin.module"() ({ "func.func"() <{function_type = () -> (), sym_name="f", sym_visibility="private"}> ({ }) : () -> ()
"func.func"() <{function_type = () -> (), sym_name="f", sym_visibility="private"}> ({ }) : () -> () }) : () -> ()
// ----- dup_symbols_unreg
// right
"builtin.module"() ({ "t.f"() {sym_name="f"} : () -> ()
"t.f"() {sym_name="f"}: () -> () }) : () -> ()
// ----- module_two_blocks
// error: 'builtin.module' op expects region #0 to have 0 or 1 blocks
"builtin.module"() ({ ^bb0: "t.br"()[^bb1] : () -> ()
 ^bb1: "t.x"() : () -> () }) : () -> ()
// ----- module_two_regions
// error: 'builtin.module' op requires one region
"builtin.module"() ({ ^bb0:}, {}) : () -> ()
// ----- module_args
// error: 'builtin.module' op region should have no arguments
"builtin.module"() ({ ^bb0(%x: i32): }) : () -> ()
// ----- module_term
// error: 'func.return' op expects parent op 'func.func'
"builtin.module"() ({ "t.br"() : () -> ()
 "func.return"() : () -> () }) : () -> ()
// ----- return_in_unreg
// error: 'func.return' op expects parent op 'func.func'
"t.region"() ({ "func.return"() : () -> () }) : () -> ()
// ----- yield_in_unreg
// error: 'scf.yield' op expects parent op to be one of 'scf.execute_region, scf.for, scf.if, scf.index_switch, scf.while'
"t.region"() ({ "scf.yield"() : () -> () }) : () -> ()
// ----- cfbr_in_unreg
// right
"t.region"() ({ "cf.br"()[^bb1] : () -> ()
^bb1: "t.end"() : () -> () }) : () -> ()
// ----- addi_types
// error: 'arith.addi' op requires the same type for all operands and results
%0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
 %1 = "arith.addi"(%0, %0) : (i32, i32) -> i64
// ----- addi_float
// error: 'arith.addi' op operand #0 must be signless-non-zero-bitwidth-integer-like, but got 'f32'
%0 = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
 %1 = "arith.addi"(%0, %0) : (f32, f32) -> f32
// ----- addf_int
// error: 'arith.addf' op operand #0 must be floating-point-like, but got 'i32'
%0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
 %1 = "arith.addf"(%0, %0) : (i32, i32) -> i32
// ----- addi_one
// error: 'arith.addi' op expected 2 operands, but found 1
%0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
 %1 = "arith.addi"(%0) : (i32) -> i32
// ----- addi_vec
// right
%0 = "t.x"() : () -> vector<4xi32>
 %1 = "arith.addi"(%0, %0) : (vector<4xi32>,vector<4xi32>) -> vector<4xi32>
// ----- addi_index
// right
%0 = "t.x"() : () -> index
 %1 = "arith.addi"(%0, %0) : (index,index) -> index
// ----- addi_si
// error: 'arith.addi' op operand #0 must be signless-non-zero-bitwidth-integer-like, but got 'si32'
%0 = "t.x"() : () -> si32
 %1 = "arith.addi"(%0, %0) : (si32,si32) -> si32
// ----- addi_tensor
// right
%0 = "t.x"() : () -> tensor<?xi32>
 %1 = "arith.addi"(%0, %0) : (tensor<?xi32>,tensor<?xi32>) -> tensor<?xi32>
// ----- const_type
// error: 'arith.constant' op failed to verify that all of {value, result} have same type
%0 = "arith.constant"() <{value = 1 : i32}> : () -> i64
// ----- const_none
// error: 'arith.constant' op requires attribute 'value'
%0 = "arith.constant"() : () -> i64
// ----- scf_if_noyield
// error: 'scf.if' op expects regions to end with 'scf.yield', found 't.a'
%c = "t.c"() : () -> i1
"scf.if"(%c) ({ "t.a"() : () -> () }, {}) : (i1) -> ()
// ----- term_toplevel_succ_other_region
// error: reference to an undefined block
"t.a"() ({ ^bb0: "t.br"()[^bb1] : () -> ()
 ^bb1: "t.r"() ({ "t.br"()[^bb1] : () -> () }) : () -> ()
 "t.z"() : () -> () }) : () -> ()
// ----- if_ok
// right
%c = "t.c"() : () -> i1
"scf.if"(%c) ({ "scf.yield"() : () -> () }, {}) : (i1) -> ()
// ----- if_order
// error: operand #0 does not dominate this use
%c = "t.c"() : () -> i1
"scf.if"(%c) ({ "t.use"(%0) : (i32) -> ()
 %0 = "t.def"() : () -> i32
 "scf.yield"() : () -> () }, {}) : (i1) -> ()
// ----- if_uses_later_of_graph
// right
%c = "t.c"() : () -> i1
"scf.if"(%c) ({ "t.use"(%0) : (i32) -> ()
 "scf.yield"() : () -> () }, {}) : (i1) -> ()
%0 = "t.def"() : () -> i32
// ----- loop
// right
"func.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({ ^bb0(%c: i1): %z = "t.def"() : () -> i32
 "cf.br"(%z)[^bb1] : (i32) -> ()
 ^bb1(%i: i32): %n = "t.next"(%i, %z) : (i32, i32) -> i32
 "cf.cond_br"(%c, %n)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
 ^bb2: "t.use"(%n, %i, %z) : (i32, i32, i32) -> ()
 "func.return"() : () -> () }) : () -> ()
// ----- loop_backwards
// error: operand #0 does not dominate this use
"func.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({ ^bb0(%c: i1):
 "cf.br"()[^bb1] : () -> ()
 ^bb1: "t.use"(%n) : (i32) -> ()
 %n = "t.next"() : () -> i32
 "cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
 ^bb2: "func.return"() : () -> () }) : () -> ()
// ----- irreducible
// error: operand #0 does not dominate this use
"t.f"() ({ ^bb0: %d = "t.def"() : () -> i32
 "t.br"()[^bb1, ^bb2] : () -> ()
 ^bb1: %a = "t.def"() : () -> i32
 "t.br"()[^bb2] : () -> ()
 ^bb2: "t.use"(%d) : (i32) -> ()
 "t.br"()[^bb1, ^bb3] : () -> ()
 ^bb3: "t.use"(%a) : (i32) -> () }) : () -> ()
// ----- blocks_out_of_order
// right
"t.f"() ({ ^bb0: "t.br"()[^bb2] : () -> ()
 ^bb1: "t.use"(%a) : (i32) -> ()
 ^bb2: %a = "t.def"() : () -> i32
 "t.br"()[^bb1] : () -> () }) : () -> ()
// ----- argument_of_sibling
// error: operand #0 does not dominate this use
"t.f"() ({ ^bb0: "t.br"()[^bb1, ^bb2] : () -> ()
 ^bb1(%x: i32): "t.br"()[^bb2] : () -> ()
 ^bb2: "t.use"(%x) : (i32) -> () }) : () -> ()
// ----- argument_of_dominator
// right
"t.f"() ({ ^bb0: "t.br"()[^bb1] : () -> ()
 ^bb1(%x: i32): "t.br"()[^bb2] : () -> ()
 ^bb2: "t.r"() ({ "t.use"(%x) : (i32) -> () }) : () -> () }) : () -> ()
// ----- nested_in_unreachable
// error: operand #0 does not dominate this use
"t.f"() ({ ^bb0: "t.end"() : () -> ()
 ^bb1: "t.r"() ({ "t.use"(%x) : (i32) -> () }) : () -> ()
 %x = "t.def"() : () -> i32
 "t.end"() : () -> () }) : () -> ()
// ----- nested_in_unreachable_of_other
// right
"t.f"() ({ ^bb0: "t.end"() : () -> ()
 ^bb1: "t.r"() ({ "t.use"(%x) : (i32) -> () }) : () -> ()
 "t.end"() : () -> ()
 ^bb2: %x = "t.def"() : () -> i32
 "t.end"() : () -> () }) : () -> ()
// ----- cond_br_segments
// error: 'cf.cond_br' op operand count (2) does not match with the total size (1) specified in attribute 'operandSegmentSizes'
"t.f"() ({ ^bb0(%c: i1): "cf.cond_br"(%c, %c)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1, i1) -> ()
 ^bb1: "t.end"() : () -> () }) : () -> ()
// ----- cond_br_second
// error: type mismatch for bb argument #0 of successor #1
"t.f"() ({ ^bb0(%c: i1, %x: i8): "cf.cond_br"(%c, %c, %c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i1, i1) -> ()
 ^bb1(%a: i1): "t.end"() : () -> ()
 ^bb2(%b: i8): "t.end"() : () -> () }) : () -> ()
// ----- cond_br_condition
// error: 'cf.cond_br' op operand #0 must be 1-bit signless integer, but got 'i8'
"t.f"() ({ ^bb0(%c: i8): "cf.cond_br"(%c)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i8) -> ()
 ^bb1: "t.end"() : () -> () }) : () -> ()
// ----- br_two
// error: 'cf.br' op requires 1 successor but found 2
"t.f"() ({ "cf.br"()[^bb1, ^bb1] : () -> ()
 ^bb1: "t.end"() : () -> () }) : () -> ()
// ----- symbols_differ
// right
"builtin.module"() ({ "func.func"() <{function_type = () -> (), sym_name="f", sym_visibility="private"}> ({ }) : () -> ()
"func.func"() <{function_type = () -> (), sym_name="g", sym_visibility="nested"}> ({ }) : () -> () }) : () -> ()
// ----- addi_shapes
// error: 'arith.addi' op inferred type(s) 'tensor<?xi32>' are incompatible with return type(s) of operation 'tensor<4xi32>'
%0 = "t.x"() : () -> tensor<?xi32>
 %1 = "t.x"() : () -> tensor<4xi32>
 %2 = "arith.addi"(%0, %1) : (tensor<?xi32>, tensor<4xi32>) -> tensor<4xi32>
// ----- addi_shapes_differ
// error: 'arith.addi' op requires the same type for all operands and results
%1 = "t.x"() : () -> tensor<4xi32>
 %2 = "arith.addi"(%1, %1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<5xi32>
// ----- addi_unranked
// error: 'arith.addi' op all non-scalar operands/results must have the same shape and base type
%1 = "t.x"() : () -> tensor<4xi32>
 %2 = "arith.addi"(%1, %1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<*xi32>
// ----- addi_encodings
// error: 'arith.addi' op requires the same encoding for all operands and results
%1 = "t.x"() : () -> tensor<4xi32, "a">
 %2 = "arith.addi"(%1, %1) : (tensor<4xi32, "a">, tensor<4xi32, "a">) -> tensor<4xi32, "b">
// ----- addf_vector
// right
%0 = "t.x"() : () -> vector<[4]xbf16>
 %1 = "arith.mulf"(%0, %0) : (vector<[4]xbf16>,vector<[4]xbf16>) -> vector<[4]xbf16>
// ----- addf_memref
// error: 'arith.mulf' op operand #0 must be floating-point-like, but got 'memref<4xf32>'
%0 = "t.x"() : () -> memref<4xf32>
 %1 = "arith.mulf"(%0, %0) : (memref<4xf32>,memref<4xf32>) -> memref<4xf32>
// ----- shift_results
// error: 'arith.shli' op requires one result
%0 = "t.x"() : () -> i8
 %1:2 = "arith.shli"(%0, %0) : (i8, i8) -> (i8, i8)
// ----- constant_ok
// right
%0 = "arith.constant"() <{value = dense<1> : tensor<4xi8>}> : () -> tensor<4xi8>
// ----- constant_bool
// right
%0 = "arith.constant"() <{value = true}> : () -> i1
// ----- while
// right
"scf.while"() ({ %c = "t.c"() : () -> i1
 "scf.condition"(%c) : (i1) -> () }, { "scf.yield"() : () -> () }) : () -> ()
// ----- condition_in_if
// error: 'scf.condition' op expects parent op 'scf.while'
%c = "t.c"() : () -> i1
"scf.if"(%c) ({ "scf.condition"(%c) : (i1) -> () }, {}) : (i1) -> ()
// ----- reduce
// right
%0 = "t.x"() : () -> tensor<4xf32>
%1 = "t.x"() : () -> tensor<f32>
%2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
 "stablehlo.return"(%s) : (tensor<f32>) -> () }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// ----- reduce_no_return
// error: The reduction-region expected to have a terminator
%0 = "t.x"() : () -> tensor<4xf32>
%1 = "t.x"() : () -> tensor<f32>
%2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// ----- return_in_nested_region
// error: 'func.return' op expects parent op 'func.func'
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({ "t.r"() ({ "func.return"() : () -> () }) : () -> ()
 "func.return"() : () -> () }) : () -> ()
// ----- function_in_function_uses
// error: 'func.func' op symbol's parent must have the SymbolTable trait
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({ ^bb0(%x: i32): "func.func"() <{function_type = () -> (), sym_name = "g"}> ({ "t.r"() ({ "t.use"(%x) : (i32) -> () }) : () -> ()
 "func.return"() : () -> () }) : () -> ()
 "func.return"() : () -> () }) : () -> ()
// ----- addi_shapes_second
// right
%0 = "t.x"() : () -> tensor<?xi32>
%1 = "t.x"() : () -> tensor<4xi32>
%2 = "arith.addi"(%1, %0) : (tensor<4xi32>, tensor<?xi32>) -> tensor<4xi32>
// ----- addi_shapes_contradict
// error: 'arith.addi' op requires the same type for all operands and results
%0 = "t.x"() : () -> tensor<5xi32>
%1 = "t.x"() : () -> tensor<4xi32>
%2 = "arith.addi"(%1, %0) : (tensor<4xi32>, tensor<5xi32>) -> tensor<4xi32>
// ----- addi_rank_open
// error: 'arith.addi' op all non-scalar operands/results must have the same shape and base type
%0 = "t.x"() : () -> tensor<*xi32>
%1 = "t.x"() : () -> tensor<4xi32>
%2 = "arith.addi"(%1, %0) : (tensor<4xi32>, tensor<*xi32>) -> tensor<4xi32>
// ----- for
// right
%0 = "t.x"() : () -> index
"scf.for"(%0, %0, %0) ({ ^bb0(%i: index): "scf.yield"() : () -> () }) : (index, index, index) -> ()
// ----- for_unknown_end
// error: 'scf.for' op expects regions to end with 'scf.yield', found 't.end'
%0 = "t.x"() : () -> index
"scf.for"(%0, %0, %0) ({ ^bb0(%i: index): "t.end"() : () -> () }) : (index, index, index) -> ()
// ----- switch_unknown_end
// error: 'scf.index_switch' op expected region to end with scf.yield, but got t.end
%0 = "t.x"() : () -> index
"scf.index_switch"(%0) <{cases = array<i64>}> ({ "t.end"() : () -> () }) : (index) -> ()
// ----- switch_case
// right
%0 = "t.x"() : () -> index
"scf.index_switch"(%0) <{cases = array<i64>}> ({ "scf.yield"() : () -> () }) : (index) -> ()
// ----- reduce_unknown_end
// error: 'stablehlo.reduce' op expects regions to end with 'stablehlo.return', found 't.end'
%0 = "t.x"() : () -> tensor<4xf32>
%1 = "t.x"() : () -> tensor<f32>
%2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
 "t.end"(%s) : (tensor<f32>) -> () }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// ----- while_swapped
// error: 'scf.while' op expects the 'before' region to terminate with 'scf.condition'
"scf.while"() ({ "scf.yield"() : () -> () }, { "scf.yield"() : () -> () }) : () -> ()
// ----- execute_region
// right
"scf.execute_region"() ({ "cf.br"()[^bb1] : () -> ()
 ^bb1: "scf.yield"() : () -> () }) : () -> ()
// ----- switch
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_no_cases
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x)[^d] <{case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_float_flag
// error: 'cf.switch' op operand #0 must be signless integer, but got 'f32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%y, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (f32, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_index_flag
// error: 'cf.switch' op operand #0 must be signless integer, but got 'index'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%i, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (index, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_flag_of_another_width
// error: 'cf.switch' op 'flag' type ('i64') should match case value type ('i32')
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%l, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i64, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_too_few_values
// error: 'cf.switch' op number of case values (1) should match number of case destinations (2)
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1]> : tensor<1xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_no_values
// error: MLIR crashes
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x, %y)[^d, ^a, ^b] <{case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_wrong_case_type
// error: type mismatch for bb argument #0 of successor #1
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x, %x)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_wrong_default_type
// error: type mismatch for bb argument #0 of successor #0
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %y, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, f32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_wrong_case_sizes
// error: branch has 0 operands for successor #1, but target block has 1
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_sizes_do_not_fit
// error: 'cf.switch' op operand count (3) does not match with the total size (4) specified in attribute 'operandSegmentSizes'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x, %x, %y)[^d, ^a, ^b] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 2>}> : (i32, i32, f32) -> ()
^d(%p: i32):
 "t.end"() : () -> ()
^a(%q: f32):
 "t.end"() : () -> ()
^b:
 "t.end"() : () -> ()
}) : () -> ()
// ----- switch_no_successors
// error: 'cf.switch' op requires at least 1 successors but found 0
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "cf.switch"(%x) <{case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
 
}) : () -> ()
// ----- if
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_without_else_but_results
// error: 'scf.if' op must have an else block if defining values
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}, {}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_without_else
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "scf.if"(%c) ({"scf.yield"() : () -> ()}, {}) : (i1) -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_yields_another_type
// error: 'scf.if' op along control flow edge from Operation scf.yield to Operation scf.if: successor operand type #0 'f32' should match successor input type #0 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%y) : (f32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_yields_too_little
// error: 'scf.if' op along control flow edge from Operation scf.yield to Operation scf.if: region branch point has 0 operands, but region successor needs 1 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"() : () -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_yields_too_much
// error: 'scf.if' op along control flow edge from Operation scf.yield to Operation scf.if: region branch point has 2 operands, but region successor needs 1 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x, %x) : (i32, i32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_yields_without_results
// error: 'scf.if' op along control flow edge from Operation scf.yield to Operation scf.if: region branch point has 1 operands, but region successor needs 0 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (i1) -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_condition_i32
// error: 'scf.if' op operand #0 must be 1-bit signless integer, but got 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%x) ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_no_condition
// error: 'scf.if' op requires a single operand
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"() ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : () -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_block_argument
// error: 'scf.if' op region #0 should have no arguments
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({^a(%p: i32): "scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_two_blocks
// error: 'scf.if' op expects region #0 to have 0 or 1 blocks
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"t.br"()[^n] : () -> () ^n: "scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_empty_then
// error: 'scf.if' op region #0 ('thenRegion') failed to verify constraint: region with 1 blocks
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({}, {"scf.yield"(%x) : (i32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- if_one_region
// error: 'scf.if' op expected 2 regions
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.if"(%c) ({"scf.yield"(%x) : (i32) -> ()}) : (i1) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_again
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: index, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_i32
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%x, %x, %x, %x) ({^b(%k: i32, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (i32, i32, i32, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_no_results
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "scf.for"(%i, %i, %i) ({^b(%k: index): "scf.yield"() : () -> ()}) : (index, index, index) -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_float_bound
// error: 'scf.for' op operand #0 must be signless integer or index, but got 'f32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%y, %y, %y, %x) ({^b(%k: f32, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (f32, f32, f32, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_mixed_bounds
// error: 'scf.for' op failed to verify that all of {lowerBound, upperBound, step} have same type
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %x, %i, %x) ({^b(%k: index, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (index, i32, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_too_few_operands
// error: 'scf.for' op expected 3 or more operands, but found 2
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "scf.for"(%i, %i) ({^b(%k: index): "scf.yield"() : () -> ()}) : (index, index) -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_variable_of_another_type
// error: 'scf.for' op expected induction variable to be same type as bounds and step
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: i32, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_carried_of_another_type
// error: 'scf.for' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 'i32' should match successor input type #0 'f32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: index, %s: f32): "scf.yield"(%x) : (i32) -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_no_carried
// error: 'scf.for' op different number of inits and region iter_args: 1 != 0
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: index): "scf.yield"(%x) : (i32) -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_no_arguments
// error: 'scf.for' op expected body to have at least 1 argument(s) for the induction variable, but got 0
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({"scf.yield"(%x) : (i32) -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_yields_another_type
// error: 'scf.for' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 'f32' should match successor input type #0 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: index, %s: i32): "scf.yield"(%y) : (f32) -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_yields_nothing
// error: 'scf.for' op along control flow edge from Operation scf.yield to Region #0: region branch point has 0 operands, but region successor needs 1 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: index, %s: i32): "scf.yield"() : () -> ()}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_result_of_another_type
// error: 'scf.for' op along control flow edge from parent to Operation scf.for: successor operand type #0 'i32' should match successor input type #0 'f32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({^b(%k: index, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (index, index, index, i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_too_few_results
// error: 'scf.for' op mismatch in number of loop-carried values and defined values
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "scf.for"(%i, %i, %i, %x) ({^b(%k: index, %s: i32): "scf.yield"(%s) : (i32) -> ()}) : (index, index, index, i32) -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- for_empty_region
// error: 'scf.for' op region #0 ('region') failed to verify constraint: region with 1 blocks
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.for"(%i, %i, %i, %x) ({}) : (index, index, index, i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_again
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_before_of_another_type
// error: 'scf.while' op along control flow edge from parent to Region #0: successor operand type #0 'i32' should match successor input type #0 'f32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: f32): "scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_before_without_arguments
// error: 'scf.while' op along control flow edge from parent to Region #0: region branch point has 1 operands, but region successor needs 0 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({"scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_after_of_another_type
// error: 'scf.while' op along control flow edge from Operation scf.condition to Region #1: successor operand type #0 'f32' should match successor input type #0 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: i32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_result_of_another_type
// error: 'scf.while' op along control flow edge from Operation scf.condition to Operation scf.while: successor operand type #0 'f32' should match successor input type #0 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_condition_i32
// error: 'scf.condition' op operand #0 must be 1-bit signless integer, but got 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%x, %y) : (i32, f32) -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_condition_empty
// error: 'scf.condition' op expected 1 or more operands, but found 0
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"() : () -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_passes_too_little
// error: 'scf.while' op along control flow edge from Operation scf.condition to Operation scf.while: region branch point has 0 operands, but region successor needs 1 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%c) : (i1) -> ()}, {^b(%b: f32): "scf.yield"(%x) : (i32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_yields_another_type
// error: 'scf.while' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 'f32' should match successor input type #0 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: f32): "scf.yield"(%y) : (f32) -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- while_yields_nothing
// error: 'scf.while' op along control flow edge from Operation scf.yield to Region #0: region branch point has 0 operands, but region successor needs 1 inputs
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.while"(%x) ({^b(%a: i32): "scf.condition"(%c, %y) : (i1, f32) -> ()}, {^b(%b: f32): "scf.yield"() : () -> ()}) : (i32) -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- execute_region_again
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.execute_region"() ({"scf.yield"(%x) : (i32) -> ()}) : () -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- execute_region_another_type
// error: 'scf.execute_region' op along control flow edge from Operation scf.yield to Operation scf.execute_region: successor operand type #0 'i32' should match successor input type #0 'f32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.execute_region"() ({"scf.yield"(%x) : (i32) -> ()}) : () -> (f32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- execute_region_empty
// error: 'scf.execute_region' op region needs to have at least one block
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.execute_region"() ({}) : () -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- execute_region_arguments
// error: 'scf.execute_region' op region cannot have any arguments
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.execute_region"() ({^b(%k: i32): "scf.yield"(%x) : (i32) -> ()}) : () -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- execute_region_two_ends
// error: 'scf.execute_region' op along control flow edge from Operation scf.yield to Operation scf.execute_region: successor operand type #0 'f32' should match successor input type #0 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.execute_region"() ({"cf.cond_br"(%c)[^a, ^b] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> () ^a: "scf.yield"(%x) : (i32) -> () ^b: "scf.yield"(%y) : (f32) -> ()}) : () -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- index_switch
// right
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.index_switch"(%i) <{cases = array<i64: 1>}> ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (index) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- index_switch_too_many_cases
// error: 'scf.index_switch' op has 1 case regions but 2 case values
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.index_switch"(%i) <{cases = array<i64: 1, 2>}> ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (index) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- index_switch_same_case_twice
// error: 'scf.index_switch' op has duplicate case value: 1
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.index_switch"(%i) <{cases = array<i64: 1, 1>}> ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (index) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- index_switch_yields_another_type
// error: 'scf.index_switch' op expected result #0 of each region to be 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.index_switch"(%i) <{cases = array<i64: 1>}> ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%y) : (f32) -> ()}) : (index) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- index_switch_of_i32
// error: 'scf.index_switch' op operand #0 must be index, but got 'i32'
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "scf.index_switch"(%x) <{cases = array<i64: 1>}> ({"scf.yield"(%x) : (i32) -> ()}, {"scf.yield"(%x) : (i32) -> ()}) : (i32) -> (i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- call
// right
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @g}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_of_nobody
// error: 'func.call' op 'h' does not reference a valid function
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @h}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_without_callee
// error: 'func.call' op requires attribute 'callee'
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_with_too_little
// error: 'func.call' op incorrect number of operands for callee: expected 1, but got 0
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"() <{callee = @g}> : () -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_with_another_type
// error: 'func.call' op operand type mismatch: expected operand type 'i32', but provided 'f32' for operand number 0
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%y) <{callee = @g}> : (f32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_for_another_type
// error: 'func.call' op result type mismatch at index 0
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @g}> : (i32) -> f32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_for_nothing
// error: 'func.call' op incorrect number of results for callee: expected 1, but got 0
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "func.call"(%x) <{callee = @g}> : (i32) -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_of_no_function
// error: 'builtin.module' op region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks
"builtin.module"() <{sym_name = "m"}> ({}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @m}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_of_an_unknown_operation
// error: 'func.call' op 'm' does not reference a valid function
"t.func"() {sym_name = "m"} : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @m}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_into_another_module
// error: 'func.call' op 'g' does not reference a valid function
"builtin.module"() <{sym_name = "m"}> ({
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @g}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
}) : () -> ()
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
// ----- call_of_text
// error: invalid properties {callee = "g"} for op func.call: Invalid attribute `callee` in property conversion: "g"
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = "g"}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_nested_name
// error: invalid properties {callee = @g::@h} for op func.call: Invalid attribute `callee` in property conversion: @g::@h
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @g::@h}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
// ----- call_in_unknown_table
// error: 'func.call' op 'g' does not reference a valid function
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 "t.table"() ({ %r = "func.call"(%x) <{callee = @g}> : (i32) -> f32 }) : () -> ()
 "func.return"() : () -> ()
}) : () -> ()
// ----- constant_function
// right
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.constant"() <{value = @g}> : () -> ((i32) -> i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- constant_function_of_nobody
// error: 'func.constant' op reference to undefined function 'h'
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.constant"() <{value = @h}> : () -> ((i32) -> i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- constant_function_of_another_type
// error: 'func.constant' op reference to function with mismatched type
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a) : (i32) -> ()
}) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.constant"() <{value = @g}> : () -> ((f32) -> i32)
 "func.return"() : () -> ()
}) : () -> ()
// ----- return_too_much
// error: 'func.return' op has 2 operands, but enclosing function (@g) returns 1
"func.func"() <{function_type = (i32) -> (i32), sym_name = "g"}> ({
^entry(%a: i32):
 "func.return"(%a, %a) : (i32, i32) -> ()
}) : () -> ()
// ----- call_of_a_module
// error: 'func.call' op 'm' does not reference a valid function
"builtin.module"() <{sym_name = "m"}> ({^a: }) : () -> ()
"func.func"() <{function_type = (i1, i32, f32, index, i64) -> (), sym_name = "f"}> ({
^entry(%c: i1, %x: i32, %y: f32, %i: index, %l: i64):
 %r = "func.call"(%x) <{callee = @m}> : (i32) -> i32
 "func.return"() : () -> ()
}) : () -> ()
