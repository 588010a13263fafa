!tuple = tuple<i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17>
#distinct = distinct[0]<1 : i64>
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#set = affine_set<(d0) : (d0 >= 0)>
#distinct1 = distinct[1]<#map>
"builtin.module"() ({
  "test.a"() ({
  }, {
  ^bb0:
  }, {
  ^bb0(%arg0: i32, %arg1: i32):
    "test.br"()[^bb2] : () -> ()
  ^bb1:  // 3 preds: ^bb1, ^bb1, ^bb2
    "test.use"(%1#1, %arg0)[^bb1, ^bb1] <{p = 1 : i32, q}> {"a b" = [1, 2], z} : (f32, i32) -> ()
  ^bb2:  // pred: ^bb0
    %1:3 = "test.def"() {d = #set} : () -> (i32, f32, () -> ())
    "test.inner"()[^bb1] ({
      "test.x"() : () -> ()
    ^bb1:  // pred: ^bb1
      "test.y"()[^bb1] : () -> ()
    }) : () -> ()
  }) : () -> ()
  %0 = "test.r"() : () -> !tuple
  "test.d"() {a = #distinct1, b = #distinct, c = #map1} : () -> ()
}) : () -> ()
