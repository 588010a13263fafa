#map = affine_map<(d0)[s0] -> (d0 + s0)>
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (index, memref<?xf32, #map>) -> (f32, index), sym_name = "f"}> ({
  ^bb0(%arg0: index, %arg1: memref<?xf32, #map>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
    %3:2 = "scf.for"(%0, %arg0, %1, %2, %0) ({
    ^bb0(%arg2: index, %arg3: f32, %arg4: index):
      %4 = "memref.load"(%arg1, %arg2) : (memref<?xf32, #map>, index) -> f32
      %5 = "arith.addf"(%arg3, %4) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
      %6 = "arith.cmpi"(%arg2, %arg4) <{predicate = 2 : i64}> : (index, index) -> i1
      %7 = "scf.if"(%6) ({
        "scf.yield"(%arg2) : (index) -> ()
      }, {
        "scf.yield"(%arg4) : (index) -> ()
      }) : (i1) -> index
      "scf.yield"(%5, %7) : (f32, index) -> ()
    }) : (index, index, index, f32, index) -> (f32, index)
    "func.return"(%3#0, %3#1) : (f32, index) -> ()
  }) : () -> ()
}) {a.b = 1 : i32} : () -> ()
