"builtin.module"() ({
  "func.func"() <{function_type = (i1, i32, index, tensor<4xi32>) -> (i32, i32, i32), sym_name = "loops"}> ({
  ^bb0(%arg2: i1, %arg3: i32, %arg4: index, %arg5: tensor<4xi32>):
    %1 = "arith.constant"() <{value = 0 : index}> : () -> index
    %2 = "arith.constant"() <{value = 10 : index}> : () -> index
    %3 = "arith.constant"() <{value = 1 : index}> : () -> index
    "scf.for"(%1, %2, %3) ({
    ^bb0(%arg21: index):
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    %4 = "arith.constant"() <{value = 0 : index}> : () -> index
    %5 = "arith.constant"() <{value = 2 : index}> : () -> index
    %6 = "scf.for"(%4, %arg4, %5, %arg3) ({
    ^bb0(%arg19: index, %arg20: i32):
      %18 = "arith.xori"(%arg20, %arg3) : (i32, i32) -> i32
      "scf.yield"(%18) : (i32) -> ()
    }) : (index, index, index, i32) -> i32
    %7:2 = "scf.for"(%arg4, %arg4, %arg4, %arg3, %arg2) ({
    ^bb0(%arg16: index, %arg17: i32, %arg18: i1):
      "scf.yield"(%arg17, %arg18) : (i32, i1) -> ()
    }) : (index, index, index, i32, i1) -> (i32, i1)
    %8 = "arith.constant"() <{value = 1 : index}> : () -> index
    %9 = "scf.for"(%8, %arg4, %8, %6) ({
    ^bb0(%arg14: index, %arg15: i32):
      "scf.yield"(%arg15) : (i32) -> ()
    }) : (index, index, index, i32) -> i32
    %10 = "scf.if"(%arg2) ({
      "scf.yield"(%arg3) : (i32) -> ()
    }, {
      "scf.yield"(%9) : (i32) -> ()
    }) : (i1) -> i32
    "scf.if"(%arg2) ({
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    %11 = "scf.index_switch"(%arg4) <{cases = array<i64: 1, 5>}> ({
      "scf.yield"(%arg3) : (i32) -> ()
    }, {
      %17 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      "scf.yield"(%17) : (i32) -> ()
    }, {
      %16 = "arith.constant"() <{value = 5 : i32}> : () -> i32
      "scf.yield"(%16) : (i32) -> ()
    }) : (index) -> i32
    "scf.index_switch"(%arg4) <{cases = array<i64: 0, 1>}> ({
      "scf.yield"() : () -> ()
    }, {
      "scf.yield"() : () -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : (index) -> ()
    %12 = "scf.forall"(%arg4, %arg4, %arg5) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>, staticLowerBound = array<i64: 0, -9223372036854775808>, staticStep = array<i64: 1, 1>, staticUpperBound = array<i64: -9223372036854775808, 8>}> ({
    ^bb0(%arg11: index, %arg12: index, %arg13: tensor<4xi32>):
      "scf.forall.in_parallel"() ({
      ^bb0:
      }) : () -> ()
    }) : (index, index, tensor<4xi32>) -> tensor<4xi32>
    %13 = "scf.while"(%arg3) ({
    ^bb0(%arg10: i32):
      "scf.condition"(%arg2, %arg10) : (i1, i32) -> ()
    }, {
    ^bb0(%arg9: i32):
      "scf.yield"(%arg9) : (i32) -> ()
    }) : (i32) -> i32
    %14 = "scf.execute_region"() <{no_inline}> ({
      "scf.yield"(%arg3) : (i32) -> ()
    }) : () -> i32
    "scf.execute_region"() ({
      "scf.yield"() : () -> ()
    }) : () -> ()
    %15 = "scf.parallel"(%arg4, %arg4, %8, %arg3) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
    ^bb0(%arg6: index):
      "scf.reduce"(%arg3) ({
      ^bb0(%arg7: i32, %arg8: i32):
        "scf.reduce.return"(%arg7) : (i32) -> ()
      }) : (i32) -> ()
    }) : (index, index, index, i32) -> i32
    "func.return"(%11, %13, %15) : (i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i1, i32) -> (), sym_name = "jumps"}> ({
  ^bb0(%arg0: i1, %arg1: i32):
    "cf.assert"(%arg0) <{msg = "never"}> : (i1) -> ()
    "cf.cond_br"(%arg0, %arg1)[^bb5, ^bb1] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1:  // 4 preds: ^bb0, ^bb1, ^bb3, ^bb5
    "cf.switch"(%arg1, %arg1, %arg1)[^bb5, ^bb5, ^bb1] <{case_operand_segments = array<i32: 1, 0>, case_values = dense<[3, 4]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb2:  // no predecessors
    "cf.cond_br"(%arg0, %arg1, %arg1)[^bb5, ^bb5] <{branch_weights = array<i32: 1, 2>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
  ^bb3:  // no predecessors
    "cf.switch"(%arg1)[^bb1] <{case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
  ^bb4:  // no predecessors
    "cf.br"(%arg1)[^bb5] : (i32) -> ()
  ^bb5(%0: i32):  // 6 preds: ^bb0, ^bb1, ^bb1, ^bb2, ^bb2, ^bb4
    "cf.br"()[^bb1] : () -> ()
  }) : () -> ()
}) : () -> ()
