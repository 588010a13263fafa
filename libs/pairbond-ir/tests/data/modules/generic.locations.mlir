!tuple = tuple<i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17>
#distinct = distinct[0]<1 : i64>
#loc2 = loc("here")
#loc3 = loc("-":6:27)
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#set = affine_set<(d0) : (d0 >= 0)>
#distinct1 = distinct[1]<#map>
"builtin.module"() ({
  "test.a"() ({
  }, {
  ^bb0:
  }, {
  ^bb0(%arg0: i32 loc("here"), %arg1: i32 loc("-":6:27)):
    "test.br"()[^bb2] : () -> () loc(#loc4)
  ^bb1:  // 3 preds: ^bb1, ^bb1, ^bb2
    "test.use"(%1#1, %arg0)[^bb1, ^bb1] <{p = 1 : i32, q}> {"a b" = [1, 2], z} : (f32, i32) -> () loc(#loc5)
  ^bb2:  // pred: ^bb0
    %1:3 = "test.def"() {d = #set} : () -> (i32, f32, () -> ()) loc(#loc13)
    "test.inner"()[^bb1] ({
      "test.x"() : () -> () loc(#loc9)
    ^bb1:  // pred: ^bb1
      "test.y"()[^bb1] : () -> () loc(#loc10)
    }) : () -> () loc(#loc8)
  }) : () -> () loc(#loc1)
  %0 = "test.r"() : () -> !tuple loc(#loc11)
  "test.d"() {a = #distinct1, b = #distinct, c = #map1} : () -> () loc(#loc12)
}) : () -> () loc(#loc)
#loc = loc("-":0:0)
#loc1 = loc("late")
#loc4 = loc("-":7:3)
#loc5 = loc("-":9:3)
#loc6 = loc("a")
#loc7 = loc("b")
#loc8 = loc("-":12:3)
#loc9 = loc("-":12:27)
#loc10 = loc("-":12:55)
#loc11 = loc("-":14:6)
#loc12 = loc("-":15:1)
#loc13 = loc(fused[#loc6, #loc7])
