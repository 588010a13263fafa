#loc2 = loc("-":3:14)
#loc3 = loc("-":3:25)
#loc8 = loc("-":7:18)
#loc9 = loc("-":7:52)
#loc10 = loc("-":7:63)
#map = affine_map<(d0)[s0] -> (d0 + s0)>
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (index, memref<?xf32, #map>) -> (f32, index), sym_name = "f"}> ({
  ^bb0(%arg0: index loc("-":3:14), %arg1: memref<?xf32, #map> loc("-":3:25)):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index loc(#loc4)
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index loc(#loc5)
    %2 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32 loc(#loc6)
    %3:2 = "scf.for"(%0, %arg0, %1, %2, %0) ({
    ^bb0(%arg2: index loc("-":7:18), %arg3: f32 loc("-":7:52), %arg4: index loc("-":7:63)):
      %4 = "memref.load"(%arg1, %arg2) : (memref<?xf32, #map>, index) -> f32 loc(#loc11)
      %5 = "arith.addf"(%arg3, %4) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32 loc(#loc12)
      %6 = "arith.cmpi"(%arg2, %arg4) <{predicate = 2 : i64}> : (index, index) -> i1 loc(#loc13)
      %7 = "scf.if"(%6) ({
        "scf.yield"(%arg2) : (index) -> () loc(#loc15)
      }, {
        "scf.yield"(%arg4) : (index) -> () loc(#loc16)
      }) : (i1) -> index loc(#loc14)
      "scf.yield"(%5, %7) : (f32, index) -> () loc(#loc17)
    }) : (index, index, index, f32, index) -> (f32, index) loc(#loc7)
    "func.return"(%3#0, %3#1) : (f32, index) -> () loc(#loc18)
  }) : () -> () loc(#loc1)
}) {a.b = 1 : i32} : () -> () loc(#loc)
#loc = loc("-":2:1)
#loc1 = loc("-":3:1)
#loc4 = loc("-":4:9)
#loc5 = loc("-":5:9)
#loc6 = loc("-":6:8)
#loc7 = loc("-":7:10)
#loc11 = loc("-":8:10)
#loc12 = loc("-":9:10)
#loc13 = loc("-":10:12)
#loc14 = loc("-":11:10)
#loc15 = loc("-":11:33)
#loc16 = loc("-":11:63)
#loc17 = loc("-":12:5)
#loc18 = loc("-":14:3)
