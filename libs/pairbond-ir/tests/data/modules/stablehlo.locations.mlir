#loc2 = loc("-":2:17)
#loc3 = loc("-":2:38)
#loc9 = loc("-":8:24)
#loc12 = loc("-":10:26)
#loc13 = loc("-":10:35)
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x8xf32> loc("-":2:17), %arg1: tensor<8x16xf32> loc("-":2:38)):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> loc(#loc4)
    %1 = "stablehlo.constant"() <{value = dense<[1.000000e-01, 2.000000e-01, 3.000000e-01, 4.000000e-01, 5.000000e-01, 6.000000e-01, 0.699999988, 8.000000e-01, 0.899999976, 1.000000e+00, 1.100000e+00, 1.200000e+00, 1.300000e+00, 1.400000e+00, 1.500000e+00, 1.600000e+00]> : tensor<16xf32>}> : () -> tensor<16xf32> loc(#loc5)
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xf32>) -> tensor<4x16xf32> loc(#loc6)
    %3 = "stablehlo.add"(%0, %2) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc7)
    %4 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32> loc(#loc8)
    %5 = "stablehlo.reduce"(%3, %4) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg6: tensor<f32> loc("-":8:24), %arg7: tensor<f32> loc("-":8:24)):
      %10 = "stablehlo.maximum"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(#loc9)
      "stablehlo.return"(%10) : (tensor<f32>) -> () loc(#loc9)
    }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32> loc(#loc9)
    %6 = "stablehlo.compare"(%5, %5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> loc(#loc10)
    %7:2 = "stablehlo.while"(%5, %5) ({
    ^bb0(%arg4: tensor<4xf32> loc("-":10:26), %arg5: tensor<4xf32> loc("-":10:35)):
      %9 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1> loc(#loc14)
      "stablehlo.return"(%9) : (tensor<i1>) -> () loc(#loc15)
    }, {
    ^bb0(%arg2: tensor<4xf32> loc("-":10:26), %arg3: tensor<4xf32> loc("-":10:35)):
      "stablehlo.return"(%arg2, %arg3) : (tensor<4xf32>, tensor<4xf32>) -> () loc(#loc16)
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(#loc11)
    %8 = "stablehlo.select"(%6, %7#0, %7#1) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#loc17)
    "func.return"(%8) : (tensor<4xf32>) -> () loc(#loc18)
  }) : () -> () loc(#loc1)
}) : () -> () loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("-":2:1)
#loc4 = loc("-":3:8)
#loc5 = loc("-":4:8)
#loc6 = loc("-":5:8)
#loc7 = loc("-":6:8)
#loc8 = loc("-":7:8)
#loc10 = loc("-":9:8)
#loc11 = loc("-":10:10)
#loc14 = loc("-":11:12)
#loc15 = loc("-":12:7)
#loc16 = loc("-":14:7)
#loc17 = loc("-":16:8)
#loc18 = loc("-":17:3)
