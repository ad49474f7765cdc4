#include <numeric>

#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::integers;
using onnx::testing::ModelBuilder;
using onnx::testing::number;
using onnx::testing::numbers;
using onnx::testing::tensor;
using onnx::testing::text;
using Shape = std::vector<std::int64_t>;

Tensor counted(const Dims& dims) {
  Tensor t(DType::kF32, dims);
  std::iota(t.values<float>().begin(), t.values<float>().end(), 0.0F);
  return t;
}

Tensor list(const std::vector<std::int64_t>& values) {
  Tensor t(DType::kI64, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.values<std::int64_t>().begin());
  return t;
}

Shape reshaped(int opset, const Dims& from, const std::vector<std::int64_t>& to,
               const std::vector<std::string>& attributes = {}) {
  return shape(run_node(opset, "Reshape", {counted(from), list(to)}, attributes));
}

TEST(Reshape, CopiesInfersAndKeepsTheOrder) {
  EXPECT_EQ(reshaped(5, {2, 3, 4}, {0, -1}), (Shape{2, 12}));
  EXPECT_EQ(reshaped(13, {2, 3, 4}, {4, 3, 2}), (Shape{4, 3, 2}));
  EXPECT_EQ(reshaped(14, {2, 3}, {-1}), (Shape{6}));
  EXPECT_EQ(reshaped(28, {1, 1}, {}), (Shape{}));
  EXPECT_EQ(reshaped(14, {0, 3}, {3, 0}, {integer("allowzero", 1)}), (Shape{3, 0}));
  EXPECT_EQ(reshaped(14, {0, 3}, {0, 3}), (Shape{0, 3}));
  const Tensor same = run_node(14, "Reshape", {counted({2, 3}), list({3, 2})});
  EXPECT_EQ(values<float>(same), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Reshape, TakesTheShapeFromAnAttributeInVersionOne) {
  const Tensor out = run_node(1, "Reshape", {counted({2, 6})}, {integers("shape", {0, 2, -1})});
  EXPECT_EQ(shape(out), (Shape{2, 2, 3}));
  expect_error(ErrorCode::kAttributeUnknown, {"Reshape-5", "'shape'"}, [] {
    run_node(5, "Reshape", {counted({2}), list({2})}, {integers("shape", {2})});
  });
}

TEST(Reshape, OfATransposedViewCopies) {
  ModelBuilder model(14);
  model.input("x", DType::kF32, {2, 3}).axes("shape", {6});
  model.node("t", "Transpose", {"x"}, {"xt"}).node("r", "Reshape", {"xt", "shape"}, {"y"});
  const Tensor x = counted({2, 3});
  const auto out = model.output("y").load().run({{"x", x}});
  EXPECT_EQ(values<float>(out.at("y")), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  const auto fails = [](const Dims& from, const std::vector<std::int64_t>& to,
                        const std::string& part, const std::vector<std::string>& attributes = {}) {
    expect_error(ErrorCode::kShapeMismatch, {"node 'n'", "Reshape-14", part},
                 [&] { reshaped(14, from, to, attributes); });
  };
  fails({2, 3}, {4}, "another number of elements");
  fails({2, 3}, {-1, -1}, "more than one unknown extent");
  fails({2, 3}, {-2, 3}, "negative extent");
  fails({2, 3}, {4, -1}, "do not fill the shape");
  fails({2, 3}, {2, 3, 0}, "does not have");
  fails({0, 3}, {0, -1}, "do not fill the shape");
  fails({0, 3}, {0, -1}, "-1 cannot be told", {integer("allowzero", 1)});
  expect_error(ErrorCode::kTypeMismatch, {"the shape has a wrong type", "int64", "float32"}, [] {
    run_node(14, "Reshape", {counted({2}), counted({1})});
  });
  expect_error(ErrorCode::kAxesRank, {"the shape has a wrong rank"}, [] {
    run_node(14, "Reshape", {counted({2}), Tensor::of<std::int64_t>({2}, {1, 1})});
  });
  expect_error(ErrorCode::kRankTooLarge, {"too many entries"},
               [] { reshaped(14, {1}, std::vector<std::int64_t>(65, 1)); });
  expect_error(ErrorCode::kSizeOverflow, {"node 'n'"}, [] {
    reshaped(14, {2}, {INT64_MAX, INT64_MAX});
  });
}

TEST(Transpose, ReversesOrFollowsThePermutation) {
  EXPECT_EQ(shape(run_node(1, "Transpose", {counted({2, 3, 4})})), (Shape{4, 3, 2}));
  const Tensor out = run_node(13, "Transpose", {counted({2, 1, 3})}, {integers("perm", {2, 0, 1})});
  EXPECT_EQ(shape(out), (Shape{3, 2, 1}));
  EXPECT_EQ(values<float>(out), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(shape(run_node(13, "Transpose", {counted({})})), (Shape{}));
  expect_error(ErrorCode::kDuplicateAxis, {"Transpose-13", "given twice"}, [] {
    run_node(13, "Transpose", {counted({2, 3})}, {integers("perm", {0, 0})});
  });
  expect_error(ErrorCode::kShapeMismatch, {"2 axes", "got 1"}, [] {
    run_node(13, "Transpose", {counted({2, 3})}, {integers("perm", {0})});
  });
  expect_error(ErrorCode::kAxisOutOfRange, {"0 .. 1 (rank 2)", "got -1"}, [] {
    run_node(13, "Transpose", {counted({2, 3})}, {integers("perm", {0, -1})});
  });
}

TEST(Squeeze, TakesAxesAsItsVersionSays) {
  EXPECT_EQ(shape(run_node(1, "Squeeze", {counted({1, 3, 1})})), (Shape{3}));
  EXPECT_EQ(shape(run_node(1, "Squeeze", {counted({1, 3, 1})}, {integers("axes", {2})})),
            (Shape{1, 3}));
  EXPECT_EQ(shape(run_node(11, "Squeeze", {counted({1, 3, 1})}, {integers("axes", {-1})})),
            (Shape{1, 3}));
  EXPECT_EQ(shape(run_node(13, "Squeeze", {counted({1, 3, 1}), list({0, -1})})), (Shape{3}));
  EXPECT_EQ(shape(run_node(13, "Squeeze", {counted({1, 3, 1}), list({})})), (Shape{1, 3, 1}));
  EXPECT_EQ(shape(run_node(13, "Squeeze", {counted({1, 3, 1})})), (Shape{3}));
  expect_error(ErrorCode::kAxisOutOfRange, {"Squeeze-1"}, [] {
    run_node(1, "Squeeze", {counted({1, 3, 1})}, {integers("axes", {-1})});
  });
  expect_error(ErrorCode::kAttributeUnknown, {"Squeeze-13", "'axes'"},
               [] { run_node(13, "Squeeze", {counted({1})}, {integers("axes", {0})}); });
  expect_error(ErrorCode::kMalformedModel, {"Squeeze-11", "wrong number of inputs"}, [] {
    run_node(11, "Squeeze", {counted({1}), list({0})});
  });
  expect_error(ErrorCode::kShapeMismatch, {"axis 1 cannot be squeezed", "extent 1", "got 3"}, [] {
    run_node(13, "Squeeze", {counted({1, 3}), list({1})});
  });
  expect_error(ErrorCode::kDuplicateAxis, {"each axis once"}, [] {
    run_node(13, "Squeeze", {counted({1, 3}), list({0, -2})});
  });
}

TEST(Unsqueeze, PutsAxesWhereTheResultHasThem) {
  EXPECT_EQ(shape(run_node(1, "Unsqueeze", {counted({3, 4})}, {integers("axes", {0, 3})})),
            (Shape{1, 3, 4, 1}));
  EXPECT_EQ(shape(run_node(11, "Unsqueeze", {counted({3})}, {integers("axes", {-1})})),
            (Shape{3, 1}));
  EXPECT_EQ(shape(run_node(13, "Unsqueeze", {counted({3}), list({0, -1})})), (Shape{1, 3, 1}));
  EXPECT_EQ(shape(run_node(13, "Unsqueeze", {counted({}), list({0})})), (Shape{1}));
  expect_error(ErrorCode::kAttributeValue, {"'axes' is missing"},
               [] { run_node(11, "Unsqueeze", {counted({3})}); });
  expect_error(ErrorCode::kAxisOutOfRange, {"-2 .. 1 (rank 2)", "got 2"}, [] {
    run_node(13, "Unsqueeze", {counted({3}), list({2})});
  });
  expect_error(ErrorCode::kDuplicateAxis, {}, [] {
    run_node(13, "Unsqueeze", {counted({3}), list({0, -3})});
  });
  Dims sixty;
  sixty.resize(60, 1);
  expect_error(ErrorCode::kRankTooLarge, {"at most 64", "got 65"}, [&] {
    run_node(13, "Unsqueeze", {counted(sixty), list({0, 1, 2, 3, 4})});
  });
}

TEST(Flatten, SplitsAtTheAxis) {
  const auto flat = [](int opset, const Dims& from, const std::vector<std::string>& attributes) {
    return shape(run_node(opset, "Flatten", {counted(from)}, attributes));
  };
  EXPECT_EQ(flat(1, {2, 3, 4}, {}), (Shape{2, 12}));
  EXPECT_EQ(flat(9, {2, 3, 4}, {integer("axis", 0)}), (Shape{1, 24}));
  EXPECT_EQ(flat(9, {2, 3, 4}, {integer("axis", 3)}), (Shape{24, 1}));
  EXPECT_EQ(flat(11, {2, 3, 4}, {integer("axis", -1)}), (Shape{6, 4}));
  EXPECT_EQ(flat(13, {2, 0}, {}), (Shape{2, 0}));
  EXPECT_EQ(flat(13, {}, {integer("axis", 0)}), (Shape{1, 1}));
  expect_error(ErrorCode::kAxisOutOfRange, {"Flatten-9", "0 .. 3", "got -1"}, [&] {
    flat(9, {2, 3, 4}, {integer("axis", -1)});
  });
  expect_error(ErrorCode::kAxisOutOfRange, {"-3 .. 3", "got 4"}, [&] {
    flat(11, {2, 3, 4}, {integer("axis", 4)});
  });
}

TEST(Constant, HasTheFormsOfTheStandard) {
  const auto constant = [](int opset, const std::string& attribute) {
    return run_node(opset, "Constant", {}, {attribute});
  };
  EXPECT_EQ(values<float>(constant(1, tensor("value", counted({3})))),
            (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(values<std::int64_t>(constant(12, integer("value_int", -7))), (Shape{-7}));
  EXPECT_EQ(shape(constant(12, integer("value_int", -7))), (Shape{}));
  EXPECT_EQ(values<float>(constant(12, number("value_float", 2.5F))), (std::vector<float>{2.5F}));
  EXPECT_EQ(values<std::int64_t>(constant(13, integers("value_ints", {4, 5}))), (Shape{4, 5}));
  EXPECT_EQ(values<float>(constant(28, numbers("value_floats", {1, 2}))),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(shape(constant(13, integers("value_ints", {}))), (Shape{0}));
  expect_error(ErrorCode::kAttributeUnknown, {"Constant-1", "'value_int'"},
               [&] { constant(11, integer("value_int", 1)); });
  expect_error(ErrorCode::kUnsupportedFeature, {"node 'n'", "Constant-12", "value_string"},
               [&] { constant(12, text("value_string", "a")); });
  expect_error(ErrorCode::kAttributeValue, {"exactly one attribute"},
               [] { run_node(13, "Constant", {}); });
}

TEST(Moving, TakesComplexNumbers) {
  using C64 = std::complex<float>;
  const std::vector<C64> given = {{1, -1}, {2, 0}, {0, 3}, {4, 4}, {5, -5}, {6, 0.5F}};
  Tensor x(DType::kC64, {2, 3});
  std::copy(given.begin(), given.end(), x.values<C64>().begin());
  EXPECT_EQ(values<C64>(run_node(13, "Identity", {x})), given);
  EXPECT_EQ(values<C64>(run_node(1, "Transpose", {x})),
            (std::vector<C64>{given[0], given[3], given[1], given[4], given[2], given[5]}));
  const Tensor flat = Tensor::of<std::int64_t>({-1}, {1});
  EXPECT_EQ(shape(run_node(14, "Reshape", {x, flat})), (Shape{6}));
  EXPECT_EQ(shape(run_node(13, "Unsqueeze", {x, Tensor::of<std::int64_t>({0}, {1})})),
            (Shape{1, 2, 3}));
  expect_error(ErrorCode::kTypeNotAllowed, {"Abs-13", "complex64"},
               [&] { run_node(13, "Abs", {x}); });
  expect_error(ErrorCode::kTypeNotAllowed, {"Mul-14", "complex64"}, [&] {
    run_node(14, "Mul", {x, x});
  });
}

TEST(Identity, OfAnInputIsACopyForTheCaller) {
  const Tensor x = counted({2, 2});
  const Tensor out = run_node(1, "Identity", {x});
  EXPECT_EQ(values<float>(out), values<float>(x));
  EXPECT_NE(out.data(), x.data());
}

}  // namespace
}  // namespace tenfold::graph
