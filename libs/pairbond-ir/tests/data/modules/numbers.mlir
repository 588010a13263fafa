"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> (), sym_name = "f", sym_visibility = "private"}> ({
  ^bb0(%arg2: i32):
    %3 = "t.a"() ({
    ^bb0(%arg6: i32):
      %8 = "t.r"() : () -> i32
    }, {
    ^bb0(%arg4: i32):
      %6 = "t.r2"() ({
      ^bb0(%arg5: i32):
        %7 = "t.z"() : () -> i32
      }) : () -> i32
    }) : () -> i32
    %4 = "t.b"() ({
    ^bb0(%arg3: i32):
      %5 = "t.r3"() : () -> i32
    }) : () -> i32
    "func.return"() : () -> ()
  }) : () -> ()
  %0 = "t.o"() ({
  ^bb0(%arg1: i32):
    %2 = "t.ro"() : () -> i32
  }) : () -> i32
  "func.func"() <{function_type = (i32) -> (), sym_name = "g", sym_visibility = "private"}> ({
  ^bb0(%arg0: i32):
    %1 = "t.a"() : () -> i32
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
