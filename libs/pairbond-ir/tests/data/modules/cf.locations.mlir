#loc2 = loc("-":2:14)
#loc3 = loc("-":2:23)
#loc6 = loc("-":5:6)
#loc10 = loc("-":10:6)
"builtin.module"() ({
  "func.func"() <{function_type = (i32, i1) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: i32 loc("-":2:14), %arg1: i1 loc("-":2:23)):
    %0 = "arith.constant"() <{value = 3 : i32}> : () -> i32 loc(#loc4)
    "cf.cond_br"(%arg1, %arg0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> () loc(#loc5)
  ^bb1(%1: i32 loc("-":5:6)):  // pred: ^bb0
    %2 = "arith.addi"(%1, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32 loc(#loc7)
    "cf.br"(%2)[^bb3] : (i32) -> () loc(#loc8)
  ^bb2:  // pred: ^bb0
    "cf.br"(%0)[^bb3] : (i32) -> () loc(#loc9)
  ^bb3(%3: i32 loc("-":10:6)):  // 3 preds: ^bb1, ^bb2, ^bb3
    "cf.cond_br"(%arg1, %3)[^bb3, ^bb4] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> () loc(#loc11)
  ^bb4:  // pred: ^bb3
    "func.return"(%3) : (i32) -> () loc(#loc12)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i32, tensor<4x?xf32>) -> (i32, f32), sym_name = "g", sym_visibility = "private"}> ({
  }) : () -> () loc(#loc13)
}) : () -> () loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("-":3:8)
#loc5 = loc("-":4:3)
#loc7 = loc("-":6:8)
#loc8 = loc("-":7:3)
#loc9 = loc("-":9:3)
#loc11 = loc("-":11:3)
#loc12 = loc("-":13:3)
#loc13 = loc("-":15:1)
