"builtin.module"() ({
  "func.func"() <{function_type = (i32, i1) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: i32, %arg1: i1):
    %0 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    "cf.cond_br"(%arg1, %arg0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%1: i32):  // pred: ^bb0
    %2 = "arith.addi"(%1, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "cf.br"(%2)[^bb3] : (i32) -> ()
  ^bb2:  // pred: ^bb0
    "cf.br"(%0)[^bb3] : (i32) -> ()
  ^bb3(%3: i32):  // 3 preds: ^bb1, ^bb2, ^bb3
    "cf.cond_br"(%arg1, %3)[^bb3, ^bb4] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb4:  // pred: ^bb3
    "func.return"(%3) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, tensor<4x?xf32>) -> (i32, f32), sym_name = "g", sym_visibility = "private"}> ({
  }) : () -> ()
}) : () -> ()
