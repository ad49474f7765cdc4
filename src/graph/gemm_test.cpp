#include "graph/gemm.hpp"

#include <cmath>
#include <limits>

#include "graph/contraction_testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::ModelBuilder;
using onnx::testing::number;

using Attributes = std::vector<std::string>;

Tensor gemm(int opset, const std::vector<TensorView>& inputs, const Attributes& attributes = {}) {
  return run_node(opset, "Gemm", inputs, attributes);
}

TensorView turned(const Tensor& x) {
  return {x.data(), x.dtype(), {x.shape()[1], x.shape()[0]}, {1, x.shape()[1]}};
}

// alpha A' B' + beta C in double.
std::vector<double> plain(const TensorView& a, const TensorView& b, const TensorView* c,
                          double alpha, double beta) {
  const PlainMatmul product(a, b);
  std::vector<double> out = product.values;
  for (double& value : out) value *= alpha;
  if (c == nullptr) return out;
  const std::vector<double> addend = doubles(*c);
  const std::int64_t rows = product.shape[0], columns = product.shape[1];
  const std::int64_t width = c->rank() == 0 ? 1 : c->shape.back();
  const std::int64_t height = c->rank() < 2 ? 1 : c->shape[0];
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      out[static_cast<std::size_t>(i * columns + j)] +=
          beta *
          addend[static_cast<std::size_t>((height == 1 ? 0 : i) * width + (width == 1 ? 0 : j))];
  return out;
}

constexpr DType kTypes[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBF16,
                            DType::kI32, DType::kI64, DType::kU32, DType::kU64};

TEST(Gemm, TransposesScalesAndAdds) {
  for (DType dtype : kTypes)
    for (int turns = 0; turns < 4; ++turns) {
      const bool turn_a = (turns & 1) != 0, turn_b = (turns & 2) != 0;
      const Tensor a = small_numbers(dtype, turn_a ? Dims{4, 3} : Dims{3, 4}, 1);
      const Tensor b = small_numbers(dtype, turn_b ? Dims{5, 4} : Dims{4, 5}, 2);
      const Tensor c = small_numbers(dtype, {3, 5}, 3);
      const TensorView av = turn_a ? turned(a) : a.view(), bv = turn_b ? turned(b) : b.view();
      const TensorView cv = c;
      const double alpha = 2, beta = is_signed(dtype) ? -3 : 3;
      const Attributes flags = {integer("transA", turn_a), integer("transB", turn_b)};
      Attributes factors = flags;
      factors.push_back(number("alpha", static_cast<float>(alpha)));
      factors.push_back(number("beta", static_cast<float>(beta)));
      const std::string problem = std::string(name_of(dtype)) + " " + std::to_string(turns);
      const auto wrapped = [&](const std::vector<double>& values) {
        Tensor t(dtype, {3, 5});
        visit_real_dtype(dtype, [&]<class T>() {
          for (std::size_t i = 0; i < values.size(); ++i)
            t.values<T>()[i] = convert_element<T>(static_cast<std::int64_t>(values[i]));
        });
        return doubles(t);
      };
      EXPECT_EQ(doubles(gemm(13, {a, b, c}, factors)), wrapped(plain(av, bv, &cv, alpha, beta)))
          << problem;
      EXPECT_EQ(doubles(gemm(13, {a, b}, factors)), wrapped(plain(av, bv, nullptr, alpha, 0)))
          << problem;
      EXPECT_EQ(doubles(gemm(13, {a, b, c}, flags)), wrapped(plain(av, bv, &cv, 1, 1))) << problem;
      EXPECT_EQ(gemm(13, {a, b, c}, factors).dtype(), dtype);
    }
}

TEST(Gemm, StretchesCToTheProduct) {
  const Tensor a = small_numbers(DType::kF32, {3, 4}, 1), b = small_numbers(DType::kF32, {4, 5}, 2);
  for (const Dims& form :
       {Dims{}, Dims{1}, Dims{5}, Dims{1, 1}, Dims{1, 5}, Dims{3, 1}, Dims{3, 5}}) {
    const Tensor c = small_numbers(DType::kF32, form, 3);
    const TensorView view = c;
    for (int opset : {7, 9, 11, 13})
      EXPECT_EQ(doubles(gemm(opset, {a, b, c})), plain(a, b, &view, 1, 1)) << to_string(form);
    if (form == Dims{3, 5}) continue;
    for (int opset : {1, 6}) {
      EXPECT_EQ(doubles(gemm(opset, {a, b, c}, {integer("broadcast", 1)})),
                plain(a, b, &view, 1, 1))
          << to_string(form);
      expect_error(ErrorCode::kShapeMismatch,
                   {"Gemm-", "C differs in shape", "(3, 5), or the attribute broadcast"}, [&] {
                     gemm(opset, {a, b, c});
                   });
    }
  }
}

TEST(Gemm, ReadsATransposedC) {
  ModelBuilder model(13);
  model.input("a", DType::kF32, {3, 4}).input("b", DType::kF32, {4, 5});
  model.input("c", DType::kF32, {5, 3}).node("t", "Transpose", {"c"}, {"ct"});
  model.node("g", "Gemm", {"a", "b", "ct"}, {"y"}).output("y");
  const Tensor a = small_numbers(DType::kF32, {3, 4}, 1), b = small_numbers(DType::kF32, {4, 5}, 2);
  const Tensor c = small_numbers(DType::kF32, {5, 3}, 3);
  const TensorView ct = turned(c);
  const Graph graph = model.load();
  EXPECT_EQ(doubles(graph.run({{"a", a}, {"b", b}, {"c", c}}).at("y")), plain(a, b, &ct, 1, 1));
}

TEST(Gemm, RoundsSixteenBitsOnce) {
  // 2048 + 1 would round to 2048 in float16 before C takes 2047 away again.
  const Tensor a = Tensor::of<Float16>({Float16(1.0F), Float16(1.0F)}, {1, 2});
  const Tensor b = Tensor::of<Float16>({Float16(2048.0F), Float16(1.0F)}, {2, 1});
  const Tensor c = Tensor::of<Float16>({Float16(-2047.0F)}, {1});
  EXPECT_EQ(doubles(gemm(13, {a, b, c})), (std::vector<double>{2}));
  // A product beyond float16's range comes back into it.
  const Tensor large = Tensor::of<Float16>({Float16(60000.0F), Float16(60000.0F)}, {2, 1});
  EXPECT_EQ(doubles(gemm(13, {a, large}, {number("alpha", 0.25F)})), (std::vector<double>{30000}));
}

TEST(Gemm, LeavesCAloneWhenBetaIsZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = Tensor::of<float>({2}, {1, 1}), c = Tensor::of<float>({nan}, {1, 1});
  EXPECT_EQ(doubles(gemm(13, {a, a, c}, {number("beta", 0)})), (std::vector<double>{4}));
  EXPECT_TRUE(std::isnan(gemm(13, {a, a, c}).values<float>()[0]));
}

TEST(Gemm, OfIntegersWrapsOrTruncates) {
  const Tensor a = Tensor::of<std::int32_t>({1 << 30}, {1, 1});
  const Tensor b = Tensor::of<std::int32_t>({2}, {1, 1}),
               c = Tensor::of<std::int32_t>({-1}, {1, 1});
  EXPECT_EQ(values<std::int32_t>(gemm(13, {a, b, c})), (std::vector<std::int32_t>{INT32_MAX}));
  EXPECT_EQ(values<std::int32_t>(gemm(13, {a, a, c}, {number("alpha", 4), number("beta", 3)})),
            (std::vector<std::int32_t>{-3}));
  // 0.5 * 2^31 wrapped to -2^31 first, then -2^30 - 0.5 goes towards zero.
  EXPECT_EQ(
      values<std::int32_t>(gemm(13, {a, b, c}, {number("alpha", 0.5F), number("beta", 0.5F)})),
      (std::vector<std::int32_t>{-(1 << 30)}));
  // Whole factors are exact in 64 bits, where a double is not.
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const Tensor x = Tensor::of<std::int64_t>({odd}, {1, 1}),
               one = Tensor::of<std::int64_t>({1}, {1, 1});
  EXPECT_EQ(values<std::int64_t>(gemm(13, {x, one}, {number("alpha", 3)})),
            (std::vector<std::int64_t>{3 * odd}));
  EXPECT_EQ(values<std::int64_t>(gemm(13, {x, one}, {number("alpha", 1e30F)})),
            (std::vector<std::int64_t>{INT64_MAX}));  // no whole number of 64 bits: saturates
}

TEST(Gemm, RefusesWhatDoesNotFit) {
  const Tensor a = small_numbers(DType::kF32, {3, 4}), b = small_numbers(DType::kF32, {4, 5});
  const auto fails = [](ErrorCode code, const std::vector<std::string>& parts,
                        const std::vector<TensorView>& inputs, const Attributes& attributes = {}) {
    std::vector<std::string> all = parts;
    all.push_back("Gemm-13");
    expect_error(code, all, [&] { gemm(13, inputs, attributes); });
  };
  const auto shapes = ErrorCode::kShapeMismatch;
  fails(shapes, {"do not fit together", "columns, 4", "got 3 in A (3, 4), B (3, 4)"}, {a, a});
  fails(shapes, {"A transposed"}, {a, b}, {integer("transA", 1)});
  fails(shapes, {"must be matrices", "rank 2", "A (3, 4), B (4,)"},
        {a, small_numbers(DType::kF32, {4})});
  fails(shapes, {"C cannot be broadcast", "(3, 5)", "got (3,)"},
        {a, b, small_numbers(DType::kF32, {3})});
  fails(shapes, {"C cannot be broadcast"}, {a, b, small_numbers(DType::kF32, {1, 3, 5})});
  fails(ErrorCode::kTypeMismatch, {"C has another type", "float32", "float64"},
        {a, b, small_numbers(DType::kF64, {5})});
  fails(ErrorCode::kTypeMismatch, {"operand 1"}, {a, small_numbers(DType::kF64, {4, 5})});
  fails(ErrorCode::kTypeNotAllowed, {"int8"}, {small_numbers(DType::kI8, {3, 4}), b});
  fails(ErrorCode::kAttributeUnknown, {"'broadcast'"}, {a, b}, {integer("broadcast", 1)});
  // After a good run, with a C of another form.
  const Tensor c = small_numbers(DType::kF32, {5});
  EXPECT_NO_THROW(gemm(13, {a, b, c}));
  expect_error(ErrorCode::kMalformedModel, {"Gemm-9", "expected 3, got 2"}, [&] {
    gemm(9, {a, b});
  });
}

TEST(Gemm, LeavesOutCFromElevenOn) {
  ModelBuilder model(11);
  model.input("a", DType::kF32, {1, 1}).node("g", "Gemm", {"a", "a", ""}, {"y"}).output("y");
  const Tensor a = Tensor::of<float>({3}, {1, 1});
  EXPECT_EQ(doubles(model.load().run({{"a", a}}).at("y")), (std::vector<double>{9}));
}

TEST(Gemm, ChecksCInEveryRun) {
  ModelBuilder model(13);
  model.input("a", DType::kF32, {3, 4}).input("b", DType::kF32, {4, 5});
  model.input("c", DType::kF32, {"n"}).node("g", "Gemm", {"a", "b", "c"}, {"y"}).output("y");
  const Graph graph = model.load();
  const Tensor a = small_numbers(DType::kF32, {3, 4}), b = small_numbers(DType::kF32, {4, 5});
  const auto run = [&](const Dims& shape) {
    return graph.run({{"a", a}, {"b", b}, {"c", small_numbers(DType::kF32, shape)}});
  };
  EXPECT_NO_THROW(run({5}));
  expect_error(ErrorCode::kShapeMismatch, {"C cannot be broadcast"}, [&] { run({4}); });
  EXPECT_NO_THROW(run({1}));
}

}  // namespace
}  // namespace tenfold::graph
