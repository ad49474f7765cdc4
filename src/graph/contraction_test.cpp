#include "graph/contraction.hpp"

#include "graph/contraction_testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::ModelBuilder;
using onnx::testing::text;

using Shape = std::vector<std::int64_t>;

Tensor einsum_node(int opset, const std::string& equation, const std::vector<TensorView>& inputs) {
  return run_node(opset, "Einsum", inputs, {text("equation", equation)});
}

constexpr DType kNumbers[] = {DType::kF64, DType::kF32, DType::kF16, DType::kI8,
                              DType::kI16, DType::kI32, DType::kI64, DType::kU8,
                              DType::kU16, DType::kU32, DType::kU64, DType::kBF16};

TEST(Einsum, OfEveryTypeOfItsVersions) {
  for (DType dtype : kNumbers) {
    const Tensor a = small_numbers(dtype, {3, 4}, 1), b = small_numbers(dtype, {4, 2}, 2);
    const Tensor out = einsum_node(28, "ij,jk->ki", {a, b});
    EXPECT_EQ(out.dtype(), dtype);
    const TensorView turned(out.data(), dtype, {3, 2}, {1, 3});
    const Tensor expected = [&] {  // as the type holds the whole numbers
      const PlainMatmul plain(a, b);
      Tensor t(dtype, plain.shape);
      visit_real_dtype(dtype, [&]<class T>() {
        for (std::size_t i = 0; i < plain.values.size(); ++i)
          t.values<T>()[i] = convert_element<T>(plain.values[i]);
      });
      return t;
    }();
    EXPECT_EQ(doubles(turned), doubles(expected)) << name_of(dtype);
    if (dtype != DType::kBF16) {
      EXPECT_EQ(einsum_node(12, "ij,jk", {a, b}).dtype(), dtype);
    }
  }
}

TEST(Einsum, TakesEveryKindOfEquation) {
  const Tensor x = small_numbers(DType::kF32, {2, 3, 3});
  EXPECT_EQ(shape(einsum_node(12, "b i i -> b i", {x})), (Shape{2, 3}));
  EXPECT_EQ(shape(einsum_node(12, "...ii->...i", {x})), (Shape{2, 3}));
  EXPECT_EQ(shape(einsum_node(12, "...->", {x})), (Shape{}));
  EXPECT_EQ(shape(einsum_node(13, "bij,bjk", {x, x})), (Shape{3, 3})) << "implicit: b is summed";
  EXPECT_EQ(values<float>(
                einsum_node(12, ",->", {Tensor::of<float>({3}, {}), Tensor::of<float>({5}, {})})),
            (std::vector<float>{15}));
}

TEST(Einsum, OfTheOnnxDialectHasItsRules) {
  const Tensor x = small_numbers(DType::kF32, {2, 3}), y = small_numbers(DType::kF32, {4, 2, 3});
  EXPECT_THROW(einsum_node(12, "...i,...i->...", {x, y}), Error);  // ellipses of other ranks
  expect_error(ErrorCode::kTypeNotAllowed, {"node 'n'", "Einsum-12", "bfloat16"}, [] {
    const Tensor half = small_numbers(DType::kBF16, {2});
    einsum_node(27, "i->", {half});
  });
  expect_error(ErrorCode::kTypeNotAllowed, {"Einsum-28", "bool"},
               [] { einsum_node(28, "i->", {Tensor::of<Bool>({Bool(true)}, {1})}); });
  expect_error(ErrorCode::kTypeMismatch, {"Einsum-12", "operand 1", "float64"}, [&] {
    einsum_node(12, "ij,ij", {x, small_numbers(DType::kF64, {2, 3})});
  });
}

TEST(Einsum, ShowsWhereAnEquationIsWrong) {
  const Tensor x = small_numbers(DType::kF32, {2, 3}), y = small_numbers(DType::kF32, {4, 2});
  for (const char* wrong : {"ij,jk->il", "ij,jk->iki", "ij;jk", "ij->", "ij,jk,kl", "ijj,jk",
                            "ij,jk->ik->", "i.j,jk", "....ij,jk", "ii,jk"})
    try {
      einsum_node(12, wrong, {x, y});
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find("node 'n'"), std::string_view::npos)
          << error.what();
      EXPECT_NE(error.place(), nullptr) << error.what();
    }
}

TEST(Einsum, NeedsItsEquationAndOperands) {
  const auto refused = [](ErrorCode code, const std::vector<std::string>& parts, int opset,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& attributes) {
    ModelBuilder model(opset);
    model.input("x", DType::kF32, {2}).node("n", "Einsum", inputs, {"y"}, attributes).output("y");
    expect_error(code, parts, [&] { model.load(); });
  };
  refused(ErrorCode::kAttributeValue, {"Einsum-12", "'equation' is missing"}, 12, {"x"}, {});
  refused(ErrorCode::kAttributeValue, {"'equation' has a wrong type"}, 12, {"x"},
          {integer("equation", 1)});
  refused(ErrorCode::kAttributeUnknown, {"'axes'"}, 12, {"x"},
          {text("equation", "i"), integer("axes", 1)});
  refused(ErrorCode::kMalformedModel, {"expected 1 or more, got 0"}, 12, {},
          {text("equation", "")});
  refused(ErrorCode::kMalformedModel, {"input 1 is left out"}, 12, {"x", "", "x"},
          {text("equation", "i,i,i")});
  refused(ErrorCode::kUnsupportedVersion, {"Einsum-11", "opset 12 or later"}, 11, {"x"},
          {text("equation", "i")});
}

TEST(Einsum, OfManyOperands) {
  std::string equation = "i";
  std::vector<std::string> inputs{"x"};
  for (int i = 1; i < 2000; ++i) {
    equation += ",i";
    inputs.push_back("x");
  }
  ModelBuilder model(12);
  model.input("x", DType::kI32, {2}).output("y");
  model.node("n", "Einsum", inputs, {"y"}, {text("equation", equation + "->i")});
  const Tensor x = Tensor::of<std::int32_t>({-1, 1}, {2});
  EXPECT_EQ(values<std::int32_t>(model.load().run({{"x", x}}).at("y")),
            (std::vector<std::int32_t>{1, 1}));
}

struct Shapes {
  Dims a, b;
};
const Shapes kMatmuls[] = {
    {{3, 4}, {4, 5}},          {{4}, {4}},          {{4}, {4, 5}},       {{3, 4}, {4}},
    {{2, 3, 4}, {4, 5}},       {{3, 4}, {2, 4, 5}}, {{4}, {2, 4, 5}},    {{2, 3, 4}, {4}},
    {{2, 1, 3, 4}, {5, 4, 2}}, {{1, 4}, {4, 1}},    {{1, 1}, {1, 1}},    {{2, 3, 4}, {2, 4, 5}},
    {{2, 3, 4}, {1, 4, 5}},    {{3, 0}, {0, 2}},    {{0, 4}, {4, 2}},    {{0, 3, 4}, {1, 4, 2}},
    {{5, 1, 2, 3}, {1, 4, 3}}, {{7, 1}, {1, 9}},    {{1, 33}, {33, 17}}, {{40, 20}, {20, 30}},
};

TEST(MatMul, IsNumpys) {
  for (const Shapes& shapes : kMatmuls) {
    if (shapes.a.back() != shapes.b[std::max(shapes.b.size() - 2, 0)]) continue;
    const Tensor a = small_numbers(DType::kF32, shapes.a, 1);
    const Tensor b = small_numbers(DType::kF32, shapes.b, 2);
    const Tensor out = run_node(13, "MatMul", {a, b});
    const PlainMatmul plain(a, b);
    EXPECT_EQ(out.shape(), plain.shape) << to_string(shapes.a) << to_string(shapes.b);
    EXPECT_EQ(doubles(out), plain.values) << to_string(shapes.a) << to_string(shapes.b);
  }
}

TEST(MatMul, OfEveryTypeOfItsVersions) {
  const auto run = [](int opset, DType dtype) {
    return run_node(opset, "MatMul",
                    {small_numbers(dtype, {2, 3}, 1), small_numbers(dtype, {3, 2}, 2)});
  };
  for (DType dtype : kNumbers) {
    const bool small = is_integer(dtype) && size_of(dtype) < 4;
    for (int opset : {1, 9, 13, 28}) {
      const bool allowed =
          !small && (is_float(dtype) || opset >= 9) && (dtype != DType::kBF16 || opset >= 13);
      if (!allowed) {
        expect_error(ErrorCode::kTypeNotAllowed, {"MatMul-", std::string(numpy_name_of(dtype))},
                     [&] { run(opset, dtype); });
        continue;
      }
      const Tensor a = small_numbers(dtype, {2, 3}, 1), b = small_numbers(dtype, {3, 2}, 2);
      const Tensor out = run(opset, dtype);
      EXPECT_EQ(out.dtype(), dtype);
      EXPECT_EQ(doubles(out), PlainMatmul(a, b).values) << name_of(dtype);
    }
  }
  expect_error(ErrorCode::kTypeMismatch, {"MatMul-13", "float32", "float64"}, [] {
    run_node(13, "MatMul",
             {small_numbers(DType::kF32, {2, 3}), small_numbers(DType::kF64, {3, 2})});
  });
}

TEST(MatMul, OfViewsCopiesNothing) {
  ModelBuilder model(13);
  model.input("a", DType::kF32, {"", ""}).input("b", DType::kF32, {"", ""});
  model.node("t", "Transpose", {"b"}, {"bt"}).node("m", "MatMul", {"a", "bt"}, {"y"}).output("y");
  const Tensor a = small_numbers(DType::kF32, {5, 7}, 1), b = small_numbers(DType::kF32, {6, 7}, 2);
  std::vector<NodeTime> profile;
  const auto out = model.load().run({{"a", a}, {"b", b}}, {}, &profile);
  EXPECT_EQ(doubles(out.at("y")),
            PlainMatmul(a, TensorView(b.data(), DType::kF32, {7, 6}, {1, 7})).values);
  ASSERT_EQ(profile.size(), 2u);
  EXPECT_EQ(profile[0].detail, "a view, nothing copied");
  EXPECT_FALSE(profile[1].detail.empty());
}

TEST(MatMul, NamesTheShapesThatDoNotFit) {
  const auto fails = [](const Dims& a, const Dims& b, const std::vector<std::string>& parts) {
    std::vector<std::string> all = parts;
    all.push_back("node 'n'");
    all.push_back("MatMul-13");
    expect_error(ErrorCode::kShapeMismatch, all, [&] {
      run_node(13, "MatMul", {small_numbers(DType::kF32, a), small_numbers(DType::kF32, b)});
    });
  };
  fails({2, 3}, {4, 5}, {"do not fit together", "columns, 3", "got 4 in A (2, 3), B (4, 5)"});
  fails({3}, {4}, {"A (3,), B (4,)"});
  fails({2, 1}, {4, 5}, {"columns, 1", "got 4"});  // the inner extents do not broadcast
  fails({2, 3}, {1, 5}, {"columns, 3", "got 1"});
  fails({}, {2, 2}, {"a scalar", "A (), B (2, 2)"});
  fails({2}, {}, {"a scalar"});
  fails({2, 3, 4}, {3, 4, 5}, {"batches cannot be broadcast", "A (2, 3, 4), B (3, 4, 5)"});
  fails({0, 3, 4}, {2, 4, 5}, {"batches cannot be broadcast"});
}

TEST(MatMul, HasNoAttributesAndTwoInputs) {
  ModelBuilder model(13);
  model.input("x", DType::kF32, {2, 2}).output("y");
  expect_error(ErrorCode::kAttributeUnknown, {"MatMul-13", "'transpose_a'"}, [&] {
    ModelBuilder(model).node("n", "MatMul", {"x", "x"}, {"y"}, {integer("transpose_a", 1)}).load();
  });
  expect_error(ErrorCode::kMalformedModel, {"MatMul-13", "expected 2, got 1"},
               [&] { ModelBuilder(model).node("n", "MatMul", {"x"}, {"y"}).load(); });
  expect_error(ErrorCode::kMalformedModel, {"input 1 is left out"}, [&] {
    ModelBuilder(model).node("n", "MatMul", {"x", ""}, {"y"}).load();
  });
}

}  // namespace
}  // namespace tenfold::graph
