"builtin.module"() <{sym_name = "jit_train"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<192xf32>, tensor<64x192xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<256x64xf32>, tensor<8x33xi32>, tensor<f32>) -> (tensor<f32>, tensor<192xf32>, tensor<64x192xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<256x64xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['block']['attention']['in']['bias']"}, {jax.result_info = "result[1]['block']['attention']['in']['matrix']"}, {jax.result_info = "result[1]['block']['attention']['out']['bias']"}, {jax.result_info = "result[1]['block']['attention']['out']['matrix']"}, {jax.result_info = "result[1]['block']['down']['bias']"}, {jax.result_info = "result[1]['block']['down']['matrix']"}, {jax.result_info = "result[1]['block']['first']['scale']"}, {jax.result_info = "result[1]['block']['first']['shift']"}, {jax.result_info = "result[1]['block']['second']['scale']"}, {jax.result_info = "result[1]['block']['second']['shift']"}, {jax.result_info = "result[1]['block']['up']['bias']"}, {jax.result_info = "result[1]['block']['up']['matrix']"}, {jax.result_info = "result[1]['last']['scale']"}, {jax.result_info = "result[1]['last']['shift']"}, {jax.result_info = "result[1]['places']"}, {jax.result_info = "result[1]['tokens']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg47: tensor<192xf32>, %arg48: tensor<64x192xf32>, %arg49: tensor<64xf32>, %arg50: tensor<64x64xf32>, %arg51: tensor<64xf32>, %arg52: tensor<256x64xf32>, %arg53: tensor<64xf32>, %arg54: tensor<64xf32>, %arg55: tensor<64xf32>, %arg56: tensor<64xf32>, %arg57: tensor<256xf32>, %arg58: tensor<64x256xf32>, %arg59: tensor<64xf32>, %arg60: tensor<64xf32>, %arg61: tensor<32x64xf32>, %arg62: tensor<256x64xf32>, %arg63: tensor<8x33xi32>, %arg64: tensor<f32>):
    %125 = "stablehlo.slice"(%arg63) <{limit_indices = array<i64: 8, 32>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x33xi32>) -> tensor<8x32xi32>
    %126 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32xi32>
    %128 = "stablehlo.compare"(%125, %127) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi1>
    %129 = "stablehlo.constant"() <{value = dense<256> : tensor<i32>}> : () -> tensor<i32>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32xi32>
    %131 = "stablehlo.add"(%125, %130) : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi32>
    %132 = "stablehlo.select"(%128, %131, %125) : (tensor<8x32xi1>, tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi32>
    %133 = "stablehlo.broadcast_in_dim"(%132) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %134 = "stablehlo.gather"(%arg62, %133) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<256x64xf32>, tensor<8x32x1xi32>) -> tensor<8x32x64xf32>
    %135 = "stablehlo.broadcast_in_dim"(%arg61) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<32x64xf32>) -> tensor<1x32x64xf32>
    %136 = "stablehlo.broadcast_in_dim"(%135) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x32x64xf32>) -> tensor<8x32x64xf32>
    %137 = "stablehlo.add"(%134, %136) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %138 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %139 = "stablehlo.reduce"(%137, %138) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg143: tensor<f32>, %arg144: tensor<f32>):
      %623 = "stablehlo.add"(%arg143, %arg144) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%623) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %140 = "stablehlo.broadcast_in_dim"(%139) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %141 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %142 = "stablehlo.broadcast_in_dim"(%141) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %143 = "stablehlo.divide"(%140, %142) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %144 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %145:4 = "func.call"(%137, %144) <{callee = @_var}> : (tensor<8x32x64xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x64xf32>, tensor<f32>, tensor<i1>)
    %146 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %147 = "stablehlo.subtract"(%137, %146) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %148 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %149 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %150 = "stablehlo.add"(%145#0, %149) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %151 = "stablehlo.sqrt"(%150) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %152 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %154 = "stablehlo.divide"(%153, %151) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %155 = "stablehlo.broadcast_in_dim"(%151) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %156 = "stablehlo.divide"(%147, %155) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %157 = "stablehlo.multiply"(%151, %151) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %158 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %159 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %160 = "stablehlo.divide"(%159, %157) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %161 = "stablehlo.broadcast_in_dim"(%arg53) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %162 = "stablehlo.broadcast_in_dim"(%161) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %163 = "stablehlo.multiply"(%156, %162) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %164 = "stablehlo.broadcast_in_dim"(%arg54) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %166 = "stablehlo.add"(%163, %165) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %167 = "stablehlo.dot_general"(%166, %arg48) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<64x192xf32>) -> tensor<8x32x192xf32>
    %168 = "stablehlo.broadcast_in_dim"(%arg47) <{broadcast_dimensions = array<i64: 2>}> : (tensor<192xf32>) -> tensor<1x1x192xf32>
    %169 = "stablehlo.broadcast_in_dim"(%168) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x192xf32>) -> tensor<8x32x192xf32>
    %170 = "stablehlo.add"(%167, %169) : (tensor<8x32x192xf32>, tensor<8x32x192xf32>) -> tensor<8x32x192xf32>
    %171 = "stablehlo.reshape"(%170) : (tensor<8x32x192xf32>) -> tensor<8x32x3x4x16xf32>
    %172 = "stablehlo.slice"(%171) <{limit_indices = array<i64: 8, 32, 1, 4, 16>, start_indices = array<i64: 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<8x32x3x4x16xf32>) -> tensor<8x32x1x4x16xf32>
    %173 = "stablehlo.reshape"(%172) : (tensor<8x32x1x4x16xf32>) -> tensor<8x32x4x16xf32>
    %174 = "stablehlo.slice"(%171) <{limit_indices = array<i64: 8, 32, 2, 4, 16>, start_indices = array<i64: 0, 0, 1, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<8x32x3x4x16xf32>) -> tensor<8x32x1x4x16xf32>
    %175 = "stablehlo.reshape"(%174) : (tensor<8x32x1x4x16xf32>) -> tensor<8x32x4x16xf32>
    %176 = "stablehlo.slice"(%171) <{limit_indices = array<i64: 8, 32, 3, 4, 16>, start_indices = array<i64: 0, 0, 2, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<8x32x3x4x16xf32>) -> tensor<8x32x1x4x16xf32>
    %177 = "stablehlo.reshape"(%176) : (tensor<8x32x1x4x16xf32>) -> tensor<8x32x4x16xf32>
    %178 = "stablehlo.dot_general"(%173, %175) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x4x16xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x32xf32>
    %179 = "stablehlo.constant"() <{value = dense<1.600000e+01> : tensor<f32>}> : () -> tensor<f32>
    %180 = "stablehlo.sqrt"(%179) : (tensor<f32>) -> tensor<f32>
    %181 = "stablehlo.convert"(%180) : (tensor<f32>) -> tensor<f32>
    %182 = "stablehlo.broadcast_in_dim"(%181) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %183 = "stablehlo.divide"(%178, %182) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %184 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %185 = "stablehlo.broadcast_in_dim"(%184) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<32x32xi1>
    %186 = "func.call"(%185) <{callee = @tril}> : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %187 = "stablehlo.constant"() <{value = dense<-1.000000e+09> : tensor<f32>}> : () -> tensor<f32>
    %188:2 = "func.call"(%186, %183, %187) <{callee = @_where_0}> : (tensor<32x32xi1>, tensor<8x4x32x32xf32>, tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>)
    %189 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %190 = "stablehlo.reduce"(%188#0, %189) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg141: tensor<f32>, %arg142: tensor<f32>):
      %622 = "stablehlo.maximum"(%arg141, %arg142) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%622) : (tensor<f32>) -> ()
    }) : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %191 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %192 = "stablehlo.broadcast_in_dim"(%191) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x4x32xf32>
    %193 = "stablehlo.maximum"(%192, %190) : (tensor<8x4x32xf32>, tensor<8x4x32xf32>) -> tensor<8x4x32xf32>
    %194 = "stablehlo.broadcast_in_dim"(%193) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %195 = "stablehlo.broadcast_in_dim"(%194) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %196 = "stablehlo.subtract"(%188#0, %195) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %197 = "stablehlo.exponential"(%196) : (tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %198 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %199 = "stablehlo.reduce"(%197, %198) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg139: tensor<f32>, %arg140: tensor<f32>):
      %621 = "stablehlo.add"(%arg139, %arg140) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%621) : (tensor<f32>) -> ()
    }) : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %200 = "stablehlo.broadcast_in_dim"(%199) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %201 = "stablehlo.broadcast_in_dim"(%200) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %202 = "stablehlo.divide"(%197, %201) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %203 = "stablehlo.multiply"(%200, %200) : (tensor<8x4x32x1xf32>, tensor<8x4x32x1xf32>) -> tensor<8x4x32x1xf32>
    %204 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %205 = "stablehlo.broadcast_in_dim"(%204) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x4x32x1xf32>
    %206 = "stablehlo.divide"(%205, %203) : (tensor<8x4x32x1xf32>, tensor<8x4x32x1xf32>) -> tensor<8x4x32x1xf32>
    %207 = "stablehlo.dot_general"(%177, %202) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x4x16xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x16x32xf32>
    %208 = "stablehlo.transpose"(%207) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<8x4x16x32xf32>) -> tensor<8x32x4x16xf32>
    %209 = "stablehlo.reshape"(%208) : (tensor<8x32x4x16xf32>) -> tensor<8x32x64xf32>
    %210 = "stablehlo.dot_general"(%209, %arg50) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
    %211 = "stablehlo.broadcast_in_dim"(%arg49) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %212 = "stablehlo.broadcast_in_dim"(%211) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %213 = "stablehlo.add"(%210, %212) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %214 = "stablehlo.add"(%137, %213) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %215 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %216 = "stablehlo.reduce"(%214, %215) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg137: tensor<f32>, %arg138: tensor<f32>):
      %620 = "stablehlo.add"(%arg137, %arg138) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%620) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %217 = "stablehlo.broadcast_in_dim"(%216) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %218 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %219 = "stablehlo.broadcast_in_dim"(%218) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %220 = "stablehlo.divide"(%217, %219) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %221 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %222:4 = "func.call"(%214, %221) <{callee = @_var}> : (tensor<8x32x64xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x64xf32>, tensor<f32>, tensor<i1>)
    %223 = "stablehlo.broadcast_in_dim"(%220) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %224 = "stablehlo.subtract"(%214, %223) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %225 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %226 = "stablehlo.broadcast_in_dim"(%225) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %227 = "stablehlo.add"(%222#0, %226) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %228 = "stablehlo.sqrt"(%227) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %229 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %230 = "stablehlo.broadcast_in_dim"(%229) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %231 = "stablehlo.divide"(%230, %228) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %232 = "stablehlo.broadcast_in_dim"(%228) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %233 = "stablehlo.divide"(%224, %232) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %234 = "stablehlo.multiply"(%228, %228) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %235 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %236 = "stablehlo.broadcast_in_dim"(%235) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %237 = "stablehlo.divide"(%236, %234) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %238 = "stablehlo.broadcast_in_dim"(%arg55) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %239 = "stablehlo.broadcast_in_dim"(%238) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %240 = "stablehlo.multiply"(%233, %239) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %241 = "stablehlo.broadcast_in_dim"(%arg56) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %242 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %243 = "stablehlo.add"(%240, %242) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %244 = "stablehlo.dot_general"(%243, %arg58) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %245 = "stablehlo.broadcast_in_dim"(%arg57) <{broadcast_dimensions = array<i64: 2>}> : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %246 = "stablehlo.broadcast_in_dim"(%245) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x256xf32>) -> tensor<8x32x256xf32>
    %247 = "stablehlo.add"(%244, %246) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %248 = "stablehlo.multiply"(%247, %247) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %249 = "stablehlo.multiply"(%248, %247) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %250 = "stablehlo.multiply"(%247, %247) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %251 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %252 = "stablehlo.broadcast_in_dim"(%251) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %253 = "stablehlo.multiply"(%252, %250) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %254 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %255 = "stablehlo.broadcast_in_dim"(%254) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %256 = "stablehlo.multiply"(%255, %249) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %257 = "stablehlo.add"(%247, %256) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %258 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %259 = "stablehlo.broadcast_in_dim"(%258) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %260 = "stablehlo.multiply"(%259, %257) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %261 = "stablehlo.tanh"(%260) : (tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %262 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %263 = "stablehlo.broadcast_in_dim"(%262) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %264 = "stablehlo.add"(%263, %261) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %265 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %266 = "stablehlo.broadcast_in_dim"(%265) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %267 = "stablehlo.subtract"(%266, %261) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %268 = "stablehlo.multiply"(%264, %267) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %269 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %270 = "stablehlo.broadcast_in_dim"(%269) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %271 = "stablehlo.add"(%270, %261) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %272 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %273 = "stablehlo.broadcast_in_dim"(%272) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %274 = "stablehlo.multiply"(%273, %271) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %275 = "stablehlo.multiply"(%247, %274) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %276 = "stablehlo.dot_general"(%275, %arg52) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x256xf32>, tensor<256x64xf32>) -> tensor<8x32x64xf32>
    %277 = "stablehlo.broadcast_in_dim"(%arg51) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %278 = "stablehlo.broadcast_in_dim"(%277) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %279 = "stablehlo.add"(%276, %278) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %280 = "stablehlo.add"(%214, %279) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %281 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %282 = "stablehlo.reduce"(%280, %281) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg135: tensor<f32>, %arg136: tensor<f32>):
      %619 = "stablehlo.add"(%arg135, %arg136) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%619) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %283 = "stablehlo.broadcast_in_dim"(%282) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %284 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %285 = "stablehlo.broadcast_in_dim"(%284) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %286 = "stablehlo.divide"(%283, %285) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %287 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %288:4 = "func.call"(%280, %287) <{callee = @_var}> : (tensor<8x32x64xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x64xf32>, tensor<f32>, tensor<i1>)
    %289 = "stablehlo.broadcast_in_dim"(%286) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %290 = "stablehlo.subtract"(%280, %289) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %291 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %292 = "stablehlo.broadcast_in_dim"(%291) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %293 = "stablehlo.add"(%288#0, %292) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %294 = "stablehlo.sqrt"(%293) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %295 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %296 = "stablehlo.broadcast_in_dim"(%295) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %297 = "stablehlo.divide"(%296, %294) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %298 = "stablehlo.broadcast_in_dim"(%294) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %299 = "stablehlo.divide"(%290, %298) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %300 = "stablehlo.multiply"(%294, %294) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %301 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %302 = "stablehlo.broadcast_in_dim"(%301) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %303 = "stablehlo.divide"(%302, %300) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %304 = "stablehlo.broadcast_in_dim"(%arg59) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %305 = "stablehlo.broadcast_in_dim"(%304) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %306 = "stablehlo.multiply"(%299, %305) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %307 = "stablehlo.broadcast_in_dim"(%arg60) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %308 = "stablehlo.broadcast_in_dim"(%307) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %309 = "stablehlo.add"(%306, %308) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %310 = "stablehlo.transpose"(%arg62) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %311 = "stablehlo.dot_general"(%309, %310) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %312:3 = "func.call"(%311) <{callee = @log_softmax}> : (tensor<8x32x256xf32>) -> (tensor<8x32x256xf32>, tensor<8x32x256xf32>, tensor<8x32x1xf32>)
    %313 = "stablehlo.slice"(%arg63) <{limit_indices = array<i64: 8, 33>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 1>}> : (tensor<8x33xi32>) -> tensor<8x32xi32>
    %314 = "stablehlo.broadcast_in_dim"(%313) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %315:2 = "func.call"(%312#0, %314) <{callee = @take_along_axis}> : (tensor<8x32x256xf32>, tensor<8x32x1xi32>) -> (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>)
    %316 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %317 = "stablehlo.reduce"(%315#0, %316) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg133: tensor<f32>, %arg134: tensor<f32>):
      %618 = "stablehlo.add"(%arg133, %arg134) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%618) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<f32>
    %318 = "stablehlo.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %319 = "stablehlo.divide"(%317, %318) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %320 = "stablehlo.negate"(%319) : (tensor<f32>) -> tensor<f32>
    %321 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %322 = "stablehlo.negate"(%321) : (tensor<f32>) -> tensor<f32>
    %323 = "stablehlo.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %324 = "stablehlo.divide"(%322, %323) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %325 = "stablehlo.broadcast_in_dim"(%324) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %326 = "func.call"(%315#1, %325) <{callee = @take_along_axis_1}> : (tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    %327 = "func.call"(%312#1, %312#2, %326) <{callee = @log_softmax_2}> : (tensor<8x32x256xf32>, tensor<8x32x1xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %328 = "stablehlo.dot_general"(%327, %309) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %329 = "stablehlo.transpose"(%328) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %330 = "stablehlo.dot_general"(%327, %310) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %331 = "stablehlo.transpose"(%329) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %332 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %333 = "stablehlo.reduce"(%330, %332) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg131: tensor<f32>, %arg132: tensor<f32>):
      %617 = "stablehlo.add"(%arg131, %arg132) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%617) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %334 = "stablehlo.reshape"(%333) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %335 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %336 = "stablehlo.reduce"(%334, %335) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg129: tensor<f32>, %arg130: tensor<f32>):
      %616 = "stablehlo.add"(%arg129, %arg130) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%616) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %337 = "stablehlo.multiply"(%299, %330) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %338 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %339 = "stablehlo.reduce"(%337, %338) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg127: tensor<f32>, %arg128: tensor<f32>):
      %615 = "stablehlo.add"(%arg127, %arg128) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%615) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %340 = "stablehlo.reshape"(%339) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %341 = "stablehlo.broadcast_in_dim"(%304) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %342 = "stablehlo.multiply"(%330, %341) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %343 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %344 = "stablehlo.reduce"(%340, %343) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg125: tensor<f32>, %arg126: tensor<f32>):
      %614 = "stablehlo.add"(%arg125, %arg126) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%614) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %345 = "stablehlo.broadcast_in_dim"(%303) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %346 = "stablehlo.multiply"(%342, %345) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %347 = "stablehlo.multiply"(%346, %290) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %348 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %349 = "stablehlo.reduce"(%347, %348) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg123: tensor<f32>, %arg124: tensor<f32>):
      %613 = "stablehlo.add"(%arg123, %arg124) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%613) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %350 = "stablehlo.reshape"(%349) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %351 = "stablehlo.negate"(%350) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %352 = "stablehlo.broadcast_in_dim"(%294) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %353 = "stablehlo.divide"(%342, %352) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %354 = "stablehlo.multiply"(%351, %297) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %355 = "stablehlo.negate"(%353) : (tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %356 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %357 = "stablehlo.reduce"(%355, %356) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg121: tensor<f32>, %arg122: tensor<f32>):
      %612 = "stablehlo.add"(%arg121, %arg122) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%612) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %358 = "stablehlo.reshape"(%357) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %359 = "func.call"(%288#1, %288#2, %288#3, %354) <{callee = @_var_3}> : (tensor<8x32x64xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %360 = "stablehlo.add"(%353, %359) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %361 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %362 = "stablehlo.broadcast_in_dim"(%361) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %363 = "stablehlo.divide"(%358, %362) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %364 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %365 = "stablehlo.reduce"(%363, %364) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg119: tensor<f32>, %arg120: tensor<f32>):
      %611 = "stablehlo.add"(%arg119, %arg120) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%611) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %366 = "stablehlo.broadcast_in_dim"(%365) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %367 = "stablehlo.add"(%360, %366) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %368 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %369 = "stablehlo.reduce"(%367, %368) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg117: tensor<f32>, %arg118: tensor<f32>):
      %610 = "stablehlo.add"(%arg117, %arg118) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%610) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %370 = "stablehlo.reshape"(%369) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %371 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %372 = "stablehlo.reduce"(%370, %371) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg115: tensor<f32>, %arg116: tensor<f32>):
      %609 = "stablehlo.add"(%arg115, %arg116) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%609) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %373 = "stablehlo.dot_general"(%367, %275) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<8x32x256xf32>) -> tensor<64x256xf32>
    %374 = "stablehlo.transpose"(%373) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %375 = "stablehlo.dot_general"(%367, %arg52) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<256x64xf32>) -> tensor<8x32x256xf32>
    %376 = "stablehlo.multiply"(%247, %375) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %377 = "stablehlo.multiply"(%375, %274) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %378 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %379 = "stablehlo.broadcast_in_dim"(%378) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %380 = "stablehlo.multiply"(%379, %376) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %381 = "stablehlo.multiply"(%380, %268) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %382 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %383 = "stablehlo.broadcast_in_dim"(%382) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %384 = "stablehlo.multiply"(%383, %381) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %385 = "stablehlo.add"(%377, %384) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %386 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %387 = "stablehlo.broadcast_in_dim"(%386) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %388 = "stablehlo.multiply"(%387, %384) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %389 = "stablehlo.multiply"(%388, %253) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %390 = "stablehlo.add"(%385, %389) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %391 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %392 = "stablehlo.reduce"(%390, %391) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg113: tensor<f32>, %arg114: tensor<f32>):
      %608 = "stablehlo.add"(%arg113, %arg114) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%608) : (tensor<f32>) -> ()
    }) : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<256xf32>
    %393 = "stablehlo.reshape"(%392) : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %394 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %395 = "stablehlo.reduce"(%393, %394) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg111: tensor<f32>, %arg112: tensor<f32>):
      %607 = "stablehlo.add"(%arg111, %arg112) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%607) : (tensor<f32>) -> ()
    }) : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %396 = "stablehlo.dot_general"(%390, %243) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %397 = "stablehlo.transpose"(%396) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %398 = "stablehlo.dot_general"(%390, %arg58) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %399 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %400 = "stablehlo.reduce"(%398, %399) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg109: tensor<f32>, %arg110: tensor<f32>):
      %606 = "stablehlo.add"(%arg109, %arg110) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%606) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %401 = "stablehlo.reshape"(%400) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %402 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %403 = "stablehlo.reduce"(%401, %402) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg107: tensor<f32>, %arg108: tensor<f32>):
      %605 = "stablehlo.add"(%arg107, %arg108) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%605) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %404 = "stablehlo.multiply"(%233, %398) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %405 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %406 = "stablehlo.reduce"(%404, %405) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg105: tensor<f32>, %arg106: tensor<f32>):
      %604 = "stablehlo.add"(%arg105, %arg106) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%604) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %407 = "stablehlo.reshape"(%406) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %408 = "stablehlo.broadcast_in_dim"(%238) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %409 = "stablehlo.multiply"(%398, %408) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %410 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %411 = "stablehlo.reduce"(%407, %410) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg103: tensor<f32>, %arg104: tensor<f32>):
      %603 = "stablehlo.add"(%arg103, %arg104) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%603) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %412 = "stablehlo.broadcast_in_dim"(%237) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %413 = "stablehlo.multiply"(%409, %412) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %414 = "stablehlo.multiply"(%413, %224) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %415 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %416 = "stablehlo.reduce"(%414, %415) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg101: tensor<f32>, %arg102: tensor<f32>):
      %602 = "stablehlo.add"(%arg101, %arg102) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%602) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %417 = "stablehlo.reshape"(%416) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %418 = "stablehlo.negate"(%417) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %419 = "stablehlo.broadcast_in_dim"(%228) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %420 = "stablehlo.divide"(%409, %419) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %421 = "stablehlo.multiply"(%418, %231) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %422 = "stablehlo.negate"(%420) : (tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %423 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %424 = "stablehlo.reduce"(%422, %423) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg99: tensor<f32>, %arg100: tensor<f32>):
      %601 = "stablehlo.add"(%arg99, %arg100) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%601) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %425 = "stablehlo.reshape"(%424) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %426 = "stablehlo.add"(%367, %420) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %427 = "func.call"(%222#1, %222#2, %222#3, %421) <{callee = @_var_3}> : (tensor<8x32x64xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %428 = "stablehlo.add"(%426, %427) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %429 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %430 = "stablehlo.broadcast_in_dim"(%429) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %431 = "stablehlo.divide"(%425, %430) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %432 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %433 = "stablehlo.reduce"(%431, %432) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg97: tensor<f32>, %arg98: tensor<f32>):
      %600 = "stablehlo.add"(%arg97, %arg98) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%600) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %434 = "stablehlo.broadcast_in_dim"(%433) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %435 = "stablehlo.add"(%428, %434) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %436 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %437 = "stablehlo.reduce"(%435, %436) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg95: tensor<f32>, %arg96: tensor<f32>):
      %599 = "stablehlo.add"(%arg95, %arg96) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%599) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %438 = "stablehlo.reshape"(%437) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %439 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %440 = "stablehlo.reduce"(%438, %439) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg93: tensor<f32>, %arg94: tensor<f32>):
      %598 = "stablehlo.add"(%arg93, %arg94) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%598) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %441 = "stablehlo.dot_general"(%435, %209) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<64x64xf32>
    %442 = "stablehlo.transpose"(%441) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %443 = "stablehlo.dot_general"(%435, %arg50) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x64xf32>, tensor<64x64xf32>) -> tensor<8x32x64xf32>
    %444 = "stablehlo.reshape"(%443) : (tensor<8x32x64xf32>) -> tensor<8x32x4x16xf32>
    %445 = "stablehlo.transpose"(%444) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<8x32x4x16xf32>) -> tensor<8x4x16x32xf32>
    %446 = "stablehlo.dot_general"(%445, %177) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x4x16x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x32xf32>
    %447 = "stablehlo.dot_general"(%445, %202) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x4x16x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x16x32xf32>
    %448 = "stablehlo.transpose"(%447) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<8x4x16x32xf32>) -> tensor<8x32x4x16xf32>
    %449 = "stablehlo.broadcast_in_dim"(%206) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %450 = "stablehlo.multiply"(%446, %449) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %451 = "stablehlo.multiply"(%450, %197) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %452 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %453 = "stablehlo.reduce"(%451, %452) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg91: tensor<f32>, %arg92: tensor<f32>):
      %597 = "stablehlo.add"(%arg91, %arg92) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%597) : (tensor<f32>) -> ()
    }) : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %454 = "stablehlo.reshape"(%453) : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %455 = "stablehlo.negate"(%454) : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x1xf32>
    %456 = "stablehlo.broadcast_in_dim"(%200) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %457 = "stablehlo.divide"(%446, %456) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %458 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %459 = "stablehlo.reduce"(%455, %458) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg89: tensor<f32>, %arg90: tensor<f32>):
      %596 = "stablehlo.add"(%arg89, %arg90) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%596) : (tensor<f32>) -> ()
    }) : (tensor<8x4x32x1xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %460 = "stablehlo.broadcast_in_dim"(%459) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x4x32xf32>) -> tensor<8x4x32x32xf32>
    %461 = "stablehlo.add"(%457, %460) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %462 = "stablehlo.multiply"(%461, %197) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %463 = "func.call"(%188#1, %462) <{callee = @_where_5}> : (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %464 = "stablehlo.broadcast_in_dim"(%181) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %465 = "stablehlo.divide"(%463, %464) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %466 = "stablehlo.dot_general"(%465, %173) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x4x32x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
    %467 = "stablehlo.transpose"(%466) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
    %468 = "stablehlo.dot_general"(%465, %175) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x4x32x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
    %469 = "stablehlo.transpose"(%468) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
    %470 = "stablehlo.broadcast_in_dim"(%448) <{broadcast_dimensions = array<i64: 0, 1, 3, 4>}> : (tensor<8x32x4x16xf32>) -> tensor<8x32x1x4x16xf32>
    %471 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %472 = "stablehlo.pad"(%470, %471) <{edge_padding_high = array<i64: 0, 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 2, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0, 0>}> : (tensor<8x32x1x4x16xf32>, tensor<f32>) -> tensor<8x32x3x4x16xf32>
    %473 = "stablehlo.broadcast_in_dim"(%467) <{broadcast_dimensions = array<i64: 0, 1, 3, 4>}> : (tensor<8x32x4x16xf32>) -> tensor<8x32x1x4x16xf32>
    %474 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %475 = "stablehlo.pad"(%473, %474) <{edge_padding_high = array<i64: 0, 0, 1, 0, 0>, edge_padding_low = array<i64: 0, 0, 1, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0, 0>}> : (tensor<8x32x1x4x16xf32>, tensor<f32>) -> tensor<8x32x3x4x16xf32>
    %476 = "stablehlo.add"(%472, %475) : (tensor<8x32x3x4x16xf32>, tensor<8x32x3x4x16xf32>) -> tensor<8x32x3x4x16xf32>
    %477 = "stablehlo.broadcast_in_dim"(%469) <{broadcast_dimensions = array<i64: 0, 1, 3, 4>}> : (tensor<8x32x4x16xf32>) -> tensor<8x32x1x4x16xf32>
    %478 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %479 = "stablehlo.pad"(%477, %478) <{edge_padding_high = array<i64: 0, 0, 2, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0, 0>}> : (tensor<8x32x1x4x16xf32>, tensor<f32>) -> tensor<8x32x3x4x16xf32>
    %480 = "stablehlo.add"(%476, %479) : (tensor<8x32x3x4x16xf32>, tensor<8x32x3x4x16xf32>) -> tensor<8x32x3x4x16xf32>
    %481 = "stablehlo.reshape"(%480) : (tensor<8x32x3x4x16xf32>) -> tensor<8x32x192xf32>
    %482 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %483 = "stablehlo.reduce"(%481, %482) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg87: tensor<f32>, %arg88: tensor<f32>):
      %595 = "stablehlo.add"(%arg87, %arg88) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%595) : (tensor<f32>) -> ()
    }) : (tensor<8x32x192xf32>, tensor<f32>) -> tensor<192xf32>
    %484 = "stablehlo.reshape"(%483) : (tensor<192xf32>) -> tensor<1x1x192xf32>
    %485 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %486 = "stablehlo.reduce"(%484, %485) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg85: tensor<f32>, %arg86: tensor<f32>):
      %594 = "stablehlo.add"(%arg85, %arg86) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%594) : (tensor<f32>) -> ()
    }) : (tensor<1x1x192xf32>, tensor<f32>) -> tensor<192xf32>
    %487 = "stablehlo.dot_general"(%481, %166) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x192xf32>, tensor<8x32x64xf32>) -> tensor<192x64xf32>
    %488 = "stablehlo.transpose"(%487) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %489 = "stablehlo.dot_general"(%481, %arg48) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32x192xf32>, tensor<64x192xf32>) -> tensor<8x32x64xf32>
    %490 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %491 = "stablehlo.reduce"(%489, %490) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg83: tensor<f32>, %arg84: tensor<f32>):
      %593 = "stablehlo.add"(%arg83, %arg84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%593) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %492 = "stablehlo.reshape"(%491) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %493 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %494 = "stablehlo.reduce"(%492, %493) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg81: tensor<f32>, %arg82: tensor<f32>):
      %592 = "stablehlo.add"(%arg81, %arg82) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%592) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %495 = "stablehlo.multiply"(%156, %489) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %496 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %497 = "stablehlo.reduce"(%495, %496) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg79: tensor<f32>, %arg80: tensor<f32>):
      %591 = "stablehlo.add"(%arg79, %arg80) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%591) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %498 = "stablehlo.reshape"(%497) : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %499 = "stablehlo.broadcast_in_dim"(%161) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %500 = "stablehlo.multiply"(%489, %499) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %501 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %502 = "stablehlo.reduce"(%498, %501) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg77: tensor<f32>, %arg78: tensor<f32>):
      %590 = "stablehlo.add"(%arg77, %arg78) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%590) : (tensor<f32>) -> ()
    }) : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %503 = "stablehlo.broadcast_in_dim"(%160) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %504 = "stablehlo.multiply"(%500, %503) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %505 = "stablehlo.multiply"(%504, %147) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %506 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %507 = "stablehlo.reduce"(%505, %506) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg75: tensor<f32>, %arg76: tensor<f32>):
      %589 = "stablehlo.add"(%arg75, %arg76) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%589) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %508 = "stablehlo.reshape"(%507) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %509 = "stablehlo.negate"(%508) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %510 = "stablehlo.broadcast_in_dim"(%151) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %511 = "stablehlo.divide"(%500, %510) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %512 = "stablehlo.multiply"(%509, %154) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %513 = "stablehlo.negate"(%511) : (tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %514 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %515 = "stablehlo.reduce"(%513, %514) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg73: tensor<f32>, %arg74: tensor<f32>):
      %588 = "stablehlo.add"(%arg73, %arg74) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%588) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %516 = "stablehlo.reshape"(%515) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %517 = "stablehlo.add"(%435, %511) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %518 = "func.call"(%145#1, %145#2, %145#3, %512) <{callee = @_var_3}> : (tensor<8x32x64xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %519 = "stablehlo.add"(%517, %518) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %520 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %521 = "stablehlo.broadcast_in_dim"(%520) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %522 = "stablehlo.divide"(%516, %521) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %523 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %524 = "stablehlo.reduce"(%522, %523) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg71: tensor<f32>, %arg72: tensor<f32>):
      %587 = "stablehlo.add"(%arg71, %arg72) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%587) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %525 = "stablehlo.broadcast_in_dim"(%524) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %526 = "stablehlo.add"(%519, %525) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %527 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %528 = "stablehlo.reduce"(%526, %527) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg69: tensor<f32>, %arg70: tensor<f32>):
      %586 = "stablehlo.add"(%arg69, %arg70) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%586) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<32x64xf32>
    %529 = "stablehlo.reshape"(%528) : (tensor<32x64xf32>) -> tensor<1x32x64xf32>
    %530 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %531 = "stablehlo.reduce"(%529, %530) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg67: tensor<f32>, %arg68: tensor<f32>):
      %585 = "stablehlo.add"(%arg67, %arg68) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%585) : (tensor<f32>) -> ()
    }) : (tensor<1x32x64xf32>, tensor<f32>) -> tensor<32x64xf32>
    %532 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %533 = "stablehlo.broadcast_in_dim"(%532) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x64xf32>
    %534 = "stablehlo.scatter"(%533, %133, %526) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg65: tensor<f32>, %arg66: tensor<f32>):
      %584 = "stablehlo.add"(%arg65, %arg66) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%584) : (tensor<f32>) -> ()
    }) : (tensor<256x64xf32>, tensor<8x32x1xi32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %535 = "stablehlo.add"(%331, %534) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %536 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<192xf32>
    %537 = "stablehlo.multiply"(%536, %486) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %538 = "stablehlo.subtract"(%arg47, %537) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %539 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x192xf32>
    %540 = "stablehlo.multiply"(%539, %488) : (tensor<64x192xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
    %541 = "stablehlo.subtract"(%arg48, %540) : (tensor<64x192xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
    %542 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %543 = "stablehlo.multiply"(%542, %440) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %544 = "stablehlo.subtract"(%arg49, %543) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %545 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x64xf32>
    %546 = "stablehlo.multiply"(%545, %442) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %547 = "stablehlo.subtract"(%arg50, %546) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %548 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %549 = "stablehlo.multiply"(%548, %372) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %550 = "stablehlo.subtract"(%arg51, %549) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %551 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x64xf32>
    %552 = "stablehlo.multiply"(%551, %374) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %553 = "stablehlo.subtract"(%arg52, %552) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %554 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %555 = "stablehlo.multiply"(%554, %502) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %556 = "stablehlo.subtract"(%arg53, %555) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %557 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %558 = "stablehlo.multiply"(%557, %494) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %559 = "stablehlo.subtract"(%arg54, %558) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %560 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %561 = "stablehlo.multiply"(%560, %411) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %562 = "stablehlo.subtract"(%arg55, %561) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %563 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %564 = "stablehlo.multiply"(%563, %403) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %565 = "stablehlo.subtract"(%arg56, %564) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %566 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %567 = "stablehlo.multiply"(%566, %395) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %568 = "stablehlo.subtract"(%arg57, %567) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %569 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x256xf32>
    %570 = "stablehlo.multiply"(%569, %397) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %571 = "stablehlo.subtract"(%arg58, %570) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %572 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %573 = "stablehlo.multiply"(%572, %344) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %574 = "stablehlo.subtract"(%arg59, %573) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %575 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %576 = "stablehlo.multiply"(%575, %336) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %577 = "stablehlo.subtract"(%arg60, %576) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %578 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x64xf32>
    %579 = "stablehlo.multiply"(%578, %531) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %580 = "stablehlo.subtract"(%arg61, %579) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %581 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x64xf32>
    %582 = "stablehlo.multiply"(%581, %535) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %583 = "stablehlo.subtract"(%arg62, %582) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    "func.return"(%320, %538, %541, %544, %547, %550, %553, %556, %559, %562, %565, %568, %571, %574, %577, %580, %583) : (tensor<f32>, tensor<192xf32>, tensor<64x192xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<256x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x32x64xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x64xf32>, tensor<f32>, tensor<i1>), res_attrs = [{}, {}, {}, {}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg41: tensor<8x32x64xf32>, %arg42: tensor<i32>):
    %99 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %100 = "stablehlo.reduce"(%arg41, %99) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %124 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%124) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %101 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %102 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %104 = "stablehlo.divide"(%101, %103) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %105 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %106 = "stablehlo.subtract"(%arg41, %105) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %107 = "chlo.square"(%106) : (tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %108 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %109 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x64xf32>
    %110 = "stablehlo.multiply"(%109, %106) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %111 = "stablehlo.convert"(%arg42) : (tensor<i32>) -> tensor<f32>
    %112 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %113 = "stablehlo.subtract"(%112, %111) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %114 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %115 = "stablehlo.reduce"(%107, %114) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %123 = "stablehlo.add"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%123) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %116 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %117 = "stablehlo.broadcast_in_dim"(%113) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %118 = "stablehlo.divide"(%116, %117) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %119 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %120 = "stablehlo.compare"(%113, %119) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %121 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %122 = "func.call"(%120, %118, %121) <{callee = @_where}> : (tensor<i1>, tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32x1xf32>
    "func.return"(%122, %110, %113, %120) : (tensor<8x32x1xf32>, tensor<8x32x64xf32>, tensor<f32>, tensor<i1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32x1xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg38: tensor<i1>, %arg39: tensor<8x32x1xf32>, %arg40: tensor<f32>):
    %96 = "stablehlo.convert"(%arg40) : (tensor<f32>) -> tensor<f32>
    %97 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %98 = "stablehlo.select"(%arg38, %arg39, %97) : (tensor<i1>, tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    "func.return"(%98) : (tensor<8x32x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<32x32xi1>) -> tensor<32x32xi1>, res_attrs = [{}], sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg37: tensor<32x32xi1>):
    %87 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<32x32xi32>
    %88 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %89 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<32x32xi32>
    %90 = "stablehlo.add"(%87, %89) : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi32>
    %91 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<32x32xi32>
    %92 = "stablehlo.compare"(%90, %91) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %93 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %94 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<32x32xi1>
    %95 = "stablehlo.select"(%92, %arg37, %94) : (tensor<32x32xi1>, tensor<32x32xi1>, tensor<32x32xi1>) -> tensor<32x32xi1>
    "func.return"(%95) : (tensor<32x32xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<32x32xi1>, tensor<8x4x32x32xf32>, tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>), res_attrs = [{}, {}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg34: tensor<32x32xi1>, %arg35: tensor<8x4x32x32xf32>, %arg36: tensor<f32>):
    %83 = "stablehlo.convert"(%arg36) : (tensor<f32>) -> tensor<f32>
    %84 = "stablehlo.broadcast_in_dim"(%arg34) <{broadcast_dimensions = array<i64: 2, 3>}> : (tensor<32x32xi1>) -> tensor<8x4x32x32xi1>
    %85 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %86 = "stablehlo.select"(%84, %arg35, %85) : (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    "func.return"(%86, %84) : (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x32x256xf32>) -> (tensor<8x32x256xf32>, tensor<8x32x256xf32>, tensor<8x32x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg29: tensor<8x32x256xf32>):
    %66 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.reduce"(%arg29, %66) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg32: tensor<f32>, %arg33: tensor<f32>):
      %82 = "stablehlo.maximum"(%arg32, %arg33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%82) : (tensor<f32>) -> ()
    }) : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<8x32xf32>
    %68 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32xf32>
    %70 = "stablehlo.maximum"(%69, %67) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    %73 = "stablehlo.subtract"(%arg29, %72) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %74 = "stablehlo.exponential"(%73) : (tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %75 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %76 = "stablehlo.reduce"(%74, %75) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %81 = "stablehlo.add"(%arg30, %arg31) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%81) : (tensor<f32>) -> ()
    }) : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<8x32xf32>
    %77 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %78 = "stablehlo.log"(%77) : (tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    %80 = "stablehlo.subtract"(%73, %79) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    "func.return"(%80, %74, %77) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>, tensor<8x32x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x32x256xf32>, tensor<8x32x1xi32>) -> (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg25: tensor<8x32x256xf32>, %arg26: tensor<8x32x1xi32>):
    %43 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32x1xi32>
    %45 = "stablehlo.compare"(%arg26, %44) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8x32x1xi32>, tensor<8x32x1xi32>) -> tensor<8x32x1xi1>
    %46 = "stablehlo.constant"() <{value = dense<256> : tensor<i32>}> : () -> tensor<i32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32x1xi32>
    %48 = "stablehlo.add"(%arg26, %47) : (tensor<8x32x1xi32>, tensor<8x32x1xi32>) -> tensor<8x32x1xi32>
    %49 = "stablehlo.select"(%45, %48, %arg26) : (tensor<8x32x1xi1>, tensor<8x32x1xi32>, tensor<8x32x1xi32>) -> tensor<8x32x1xi32>
    %50 = "stablehlo.reshape"(%49) : (tensor<8x32x1xi32>) -> tensor<8x32x1x1xi32>
    %51 = "stablehlo.constant"() <{value = dense<255> : tensor<1xi32>}> : () -> tensor<1xi32>
    %52 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32x1x1xi32>
    %54 = "stablehlo.compare"(%50, %53) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x32x1x1xi32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1x1xi1>
    %55 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64: 3>}> : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x1xi32>) -> tensor<8x32x1x1xi32>
    %57 = "stablehlo.compare"(%50, %56) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<8x32x1x1xi32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1x1xi1>
    %58 = "stablehlo.and"(%54, %57) : (tensor<8x32x1x1xi1>, tensor<8x32x1x1xi1>) -> tensor<8x32x1x1xi1>
    %59 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %60 = "stablehlo.reduce"(%58, %59) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg27: tensor<i1>, %arg28: tensor<i1>):
      %65 = "stablehlo.and"(%arg27, %arg28) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%65) : (tensor<i1>) -> ()
    }) : (tensor<8x32x1x1xi1>, tensor<i1>) -> tensor<8x32x1xi1>
    %61 = "stablehlo.gather"(%arg25, %50) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x32x256xf32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1xf32>
    %62 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %64 = "stablehlo.select"(%60, %61, %63) : (tensor<8x32x1xi1>, tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    "func.return"(%64, %50) : (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x256xf32>, res_attrs = [{}], sym_name = "take_along_axis_1", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<8x32x1x1xi32>, %arg22: tensor<8x32x1xf32>):
    %39 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x256xf32>
    %41 = "stablehlo.scatter"(%40, %arg21, %arg22) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg23: tensor<f32>, %arg24: tensor<f32>):
      %42 = "stablehlo.add"(%arg23, %arg24) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%42) : (tensor<f32>) -> ()
    }) : (tensor<8x32x256xf32>, tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    "func.return"(%41) : (tensor<8x32x256xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<8x32x256xf32>, tensor<8x32x1xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>, res_attrs = [{}], sym_name = "log_softmax_2", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<8x32x256xf32>, %arg15: tensor<8x32x1xf32>, %arg16: tensor<8x32x256xf32>):
    %27 = "stablehlo.negate"(%arg16) : (tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %28 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.reduce"(%27, %28) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>):
      %38 = "stablehlo.add"(%arg19, %arg20) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%38) : (tensor<f32>) -> ()
    }) : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<8x32xf32>
    %30 = "stablehlo.reshape"(%29) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %31 = "stablehlo.divide"(%30, %arg15) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %32 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.reduce"(%31, %32) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg17: tensor<f32>, %arg18: tensor<f32>):
      %37 = "stablehlo.add"(%arg17, %arg18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x256xf32>
    %35 = "stablehlo.multiply"(%34, %arg14) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %36 = "stablehlo.add"(%arg16, %35) : (tensor<8x32x256xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    "func.return"(%36) : (tensor<8x32x256xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<8x32x64xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x64xf32>, res_attrs = [{}], sym_name = "_var_3", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<8x32x64xf32>, %arg5: tensor<f32>, %arg6: tensor<i1>, %arg7: tensor<8x32x1xf32>):
    %6 = "func.call"(%arg6, %arg7) <{callee = @_where_4}> : (tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %7 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %8 = "stablehlo.divide"(%6, %7) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.reduce"(%8, %9) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %26 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%26) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %12 = "stablehlo.multiply"(%11, %arg4) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %13 = "stablehlo.negate"(%12) : (tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %14 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.reduce"(%13, %14) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %25 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%25) : (tensor<f32>) -> ()
    }) : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %16 = "stablehlo.reshape"(%15) : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %17 = "stablehlo.constant"() <{value = dense<6.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %19 = "stablehlo.divide"(%16, %18) : (tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.reduce"(%19, %20) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %24 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%24) : (tensor<f32>) -> ()
    }) : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %23 = "stablehlo.add"(%12, %22) : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    "func.return"(%23) : (tensor<8x32x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>, res_attrs = [{}], sym_name = "_where_4", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<i1>, %arg3: tensor<8x32x1xf32>):
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x1xf32>
    %5 = "stablehlo.select"(%arg2, %arg3, %4) : (tensor<i1>, tensor<8x32x1xf32>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    "func.return"(%5) : (tensor<8x32x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>, res_attrs = [{}], sym_name = "_where_5", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x4x32x32xi1>, %arg1: tensor<8x4x32x32xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %2 = "stablehlo.select"(%arg0, %arg1, %1) : (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    "func.return"(%2) : (tensor<8x4x32x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
