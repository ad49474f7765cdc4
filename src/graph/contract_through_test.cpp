#include "graph/contract_through.hpp"

#include <thread>

#include "graph/contraction_testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::integer;
using onnx::testing::integers;
using onnx::testing::ModelBuilder;
using onnx::testing::number;
using onnx::testing::text;

using Shape = std::vector<std::int64_t>;

Graph load(const ModelBuilder& model, bool contract_through = true) {
  const std::string bytes = model.bytes();
  return Graph::load_onnx(std::as_bytes(std::span(bytes.data(), bytes.size())), {},
                          {.contract_through = contract_through});
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Runs the model with and without contracting through on the same whole numbers: equal outputs.
// Returns the profile of the run with it.
std::vector<NodeTime> expect_equal(const ModelBuilder& model, const Graph::Inputs& inputs) {
  const Graph through = load(model), apart = load(model, false);
  std::vector<NodeTime> profile, plain;
  const auto got = through.run(inputs, {}, &profile), expected = apart.run(inputs, {}, &plain);
  EXPECT_EQ(got.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    EXPECT_EQ(got.at(name).shape(), tensor.shape()) << name;
    EXPECT_EQ(got.at(name).dtype(), tensor.dtype()) << name;
    EXPECT_EQ(doubles(got.at(name)), doubles(tensor)) << name;
    const auto again = through.run(inputs);  // from the cache
    EXPECT_EQ(doubles(again.at(name)), doubles(tensor)) << name;
  }
  EXPECT_EQ(profile.size(), plain.size());
  for (const NodeTime& node : plain) EXPECT_FALSE(contains(node.detail, "as one")) << node.detail;
  EXPECT_FALSE(contains(apart.explain(), "contracted")) << apart.explain();
  return profile;
}

bool merged(const std::vector<NodeTime>& profile) {
  return contains(profile.back().detail, "nodes as one: ");
}

// (A B) v, dearer in that order than A (B v).
ModelBuilder product_of_three(DType dtype = DType::kF32) {
  ModelBuilder model(13);
  model.input("a", dtype, {"", ""}).input("b", dtype, {"", ""}).input("v", dtype, {"", ""});
  model.node("ab", "MatMul", {"a", "b"}, {"t"}).node("abv", "MatMul", {"t", "v"}, {"y"});
  return model.output("y");
}

TEST(ContractThrough, TakesTheCheaperOrder) {
  for (DType dtype : {DType::kF32, DType::kF64, DType::kI32, DType::kU64}) {
    const Tensor a = small_numbers(dtype, {30, 40}, 1), b = small_numbers(dtype, {40, 50}, 2);
    const Tensor v = small_numbers(dtype, {50, 1}, 3);
    const auto profile = expect_equal(product_of_three(dtype), {{"a", a}, {"b", b}, {"v", v}});
    ASSERT_EQ(profile.size(), 2u);
    EXPECT_EQ(profile[0].node, "ab");
    EXPECT_EQ(profile[0].detail, "contracted into 'abv'");
    EXPECT_EQ(profile[0].microseconds, 0);
    EXPECT_EQ(profile[1].op, "MatMul-13");
    EXPECT_TRUE(contains(profile[1].detail, "2 nodes as one: ")) << profile[1].detail;
  }
}

TEST(ContractThrough, LeavesWhatIsNotCheaper) {
  // A row first: the order of the nodes is the best one.
  const Tensor a = small_numbers(DType::kF32, {1, 40}, 1), b = small_numbers(DType::kF32, {40, 50});
  const Tensor v = small_numbers(DType::kF32, {50, 30}, 3);
  const auto profile = expect_equal(product_of_three(), {{"a", a}, {"b", b}, {"v", v}});
  EXPECT_FALSE(merged(profile));
  EXPECT_FALSE(contains(profile[0].detail, "contracted")) << profile[0].detail;
}

TEST(ContractThrough, DecidesAnewForEveryShape) {
  const Graph graph = load(product_of_three());
  const auto runs_merged = [&](std::int64_t rows, std::int64_t columns) {
    const Tensor a = small_numbers(DType::kF32, {rows, 40}, 1);
    const Tensor b = small_numbers(DType::kF32, {40, 50}, 2);
    const Tensor v = small_numbers(DType::kF32, {50, columns}, 3);
    std::vector<NodeTime> profile;
    graph.run({{"a", a}, {"b", b}, {"v", v}}, {}, &profile);
    return merged(profile);
  };
  EXPECT_TRUE(runs_merged(30, 1));
  EXPECT_FALSE(runs_merged(1, 30));
  EXPECT_TRUE(runs_merged(30, 1));
}

TEST(ContractThrough, IsExplained) {
  const Graph graph = load(product_of_three());
  const std::string before = graph.explain();
  EXPECT_TRUE(contains(before,
                       "ab: MatMul-13(a, b) -> t  "
                       "[contracted into 'abv' where that is cheaper]\n"))
      << before;
  EXPECT_TRUE(contains(before, "abv: MatMul-13(t, v) -> y\n")) << before;
  const Tensor a = small_numbers(DType::kF32, {30, 40}), b = small_numbers(DType::kF32, {40, 50});
  const Tensor v = small_numbers(DType::kF32, {50, 1}), row = small_numbers(DType::kF32, {1, 40});
  graph.run({{"a", a}, {"b", b}, {"v", v}});
  const std::string after = graph.explain();
  EXPECT_TRUE(contains(after, "[contracted into 'abv']\n")) << after;
  EXPECT_TRUE(contains(after, "[2 nodes as one: ")) << after;
  graph.run({{"a", row}, {"b", b}, {"v", v}});
  EXPECT_FALSE(contains(graph.explain(), "contracted")) << graph.explain();
}

TEST(ContractThrough, ASumOfAProductNeedsNoProduct) {
  const Tensor a = small_numbers(DType::kF32, {20, 30}, 1),
               b = small_numbers(DType::kF32, {30, 40});
  for (int keep : {0, 1})
    for (const std::vector<std::int64_t>& axes :
         {std::vector<std::int64_t>{1}, {-1}, {0}, {0, 1}, {}}) {
      ModelBuilder model(13);
      model.input("a", DType::kF32, {20, 30}).input("b", DType::kF32, {30, 40}).axes("axes", axes);
      model.node("p", "Einsum", {"a", "b"}, {"t"}, {text("equation", "ij,jk->ik")});
      model.node("s", "ReduceSum", {"t", "axes"}, {"y"}, {integer("keepdims", keep)}).output("y");
      const auto profile = expect_equal(model, {{"a", a}, {"b", b}});
      EXPECT_TRUE(merged(profile)) << axes.size();
      EXPECT_EQ(profile.back().op, "ReduceSum-13");
    }
}

TEST(ContractThrough, AxesMayComeWhenTheModelRuns) {
  ModelBuilder model(13);
  model.input("a", DType::kF32, {20, 30}).input("b", DType::kF32, {30, 40});
  model.input("axes", DType::kI64, {""});
  model.node("p", "MatMul", {"a", "b"}, {"t"});
  model.node("s", "ReduceSum", {"t", "axes"}, {"y"}, {integer("keepdims", 0)}).output("y");
  const Graph graph = load(model), apart = load(model, false);
  const Tensor a = small_numbers(DType::kF32, {20, 30}, 1),
               b = small_numbers(DType::kF32, {30, 40});
  for (int turn = 0; turn < 2; ++turn)
    for (std::int64_t axis : {0, 1, -1}) {
      const Tensor axes = Tensor::of<std::int64_t>({axis}, {1});
      const Graph::Inputs inputs = {{"a", a}, {"b", b}, {"axes", axes}};
      EXPECT_EQ(doubles(graph.run(inputs).at("y")), doubles(apart.run(inputs).at("y"))) << axis;
    }
  const Tensor wrong = Tensor::of<std::int64_t>({2}, {1});
  expect_error(ErrorCode::kAxisOutOfRange, {"[node 's': ReduceSum-13]", "got 2"}, [&] {
    graph.run({{"a", a}, {"b", b}, {"axes", wrong}});
  });
}

TEST(ContractThrough, GemmEndsATreeWithItsFactorsAndC) {
  for (DType dtype : {DType::kF32, DType::kF16, DType::kI64}) {
    ModelBuilder model(13);
    model.input("a", dtype, {30, 40}).input("b", dtype, {40, 50});
    model.input("v", dtype, {2, 50}).input("c", dtype, {2});
    model.node("ab", "MatMul", {"a", "b"}, {"t"});
    model.node("g", "Gemm", {"t", "v", "c"}, {"y"},
               {number("alpha", 2), number("beta", 3), integer("transB", 1)});
    model.output("y");
    // So small that float16 holds every intermediate result.
    Tensor a = small_numbers(dtype, {30, 40}, 1), b = Tensor::zeros(dtype, {40, 50});
    visit_real_dtype(dtype, [&]<class T>() {
      for (int i = 0; i < 40; ++i)
        b.values<T>()[static_cast<std::size_t>(i * 51)] = convert_element<T>(1);
    });
    const Tensor v = small_numbers(dtype, {2, 50}, 3), c = small_numbers(dtype, {2}, 4);
    EXPECT_TRUE(merged(expect_equal(model, {{"a", a}, {"b", b}, {"v", v}, {"c", c}})));
  }
}

TEST(ContractThrough, AScaledProductIsAResult) {
  const Tensor a = small_numbers(DType::kF32, {30, 40}, 1),
               b = small_numbers(DType::kF32, {40, 50});
  const Tensor v = small_numbers(DType::kF32, {50, 1}, 3), c = small_numbers(DType::kF32, {50});
  const auto with = [&](const std::vector<std::string>& inputs,
                        const std::vector<std::string>& attributes) {
    ModelBuilder model(13);
    model.input("a", DType::kF32, {30, 40}).input("b", DType::kF32, {40, 50});
    model.input("v", DType::kF32, {50, 1}).input("c", DType::kF32, {50});
    model.node("g", "Gemm", inputs, {"t"}, attributes).node("m", "MatMul", {"t", "v"}, {"y"});
    return merged(expect_equal(model.output("y"), {{"a", a}, {"b", b}, {"v", v}, {"c", c}}));
  };
  EXPECT_TRUE(with({"a", "b"}, {}));
  EXPECT_TRUE(with({"a", "b", "c"}, {number("beta", 0)}));
  EXPECT_FALSE(with({"a", "b", "c"}, {}));
  EXPECT_FALSE(with({"a", "b"}, {number("alpha", 2)}));
}

TEST(ContractThrough, AResultThatIsUsedElsewhereStays) {
  const Tensor a = small_numbers(DType::kF32, {30, 40}, 1),
               b = small_numbers(DType::kF32, {40, 50});
  const Tensor v = small_numbers(DType::kF32, {50, 1}, 3);
  const Graph::Inputs inputs = {{"a", a}, {"b", b}, {"v", v}};
  ModelBuilder shown = product_of_three();
  EXPECT_FALSE(merged(expect_equal(shown.output("t"), inputs)));
  ModelBuilder read = product_of_three();
  read.node("other", "Abs", {"t"}, {"z"}).output("z");
  const Graph graph = load(read);
  EXPECT_FALSE(contains(graph.explain(), "contracted")) << graph.explain();
  expect_equal(read, inputs);
  ModelBuilder twice(13);
  twice.input("a", DType::kF32, {6, 6}).node("m", "MatMul", {"a", "a"}, {"t"});
  twice.node("s", "MatMul", {"t", "t"}, {"y"}).output("y");
  const Tensor square = small_numbers(DType::kF32, {6, 6});
  EXPECT_FALSE(merged(expect_equal(twice, {{"a", square}})));
}

TEST(ContractThrough, FollowsBatchesAndBroadcasts) {
  ModelBuilder model(13);
  model.input("a", DType::kF32, {"", "", ""}).input("b", DType::kF32, {"", ""});
  model.input("v", DType::kF32, {"", "", ""});
  model.node("ab", "MatMul", {"a", "b"}, {"t"}).node("abv", "MatMul", {"t", "v"}, {"y"});
  model.output("y");
  for (std::int64_t batch : {1, 4}) {
    // With one batch on the left, its axis of extent 1 broadcasts within the merged contraction.
    const Tensor a = small_numbers(DType::kF32, {batch, 20, 30}, 1);
    const Tensor b = small_numbers(DType::kF32, {30, 40}, 2);
    const Tensor v = small_numbers(DType::kF32, {4, 40, 1}, 3);
    EXPECT_TRUE(merged(expect_equal(model, {{"a", a}, {"b", b}, {"v", v}}))) << batch;
  }
}

TEST(ContractThrough, SumsALabelThatBroadcasts) {
  // t has extent 1 along j, which the sum takes n times.
  ModelBuilder model(12);
  model.input("a", DType::kF32, {20, 30}).input("b", DType::kF32, {30, 1});
  model.input("v", DType::kF32, {25, 40}).output("y");
  model.node("p", "Einsum", {"a", "b"}, {"t"}, {text("equation", "ik,kj->ij")});
  model.node("q", "Einsum", {"t", "v"}, {"y"}, {text("equation", "ij,jl->il")});
  const Tensor a = small_numbers(DType::kF32, {20, 30}, 1), b = small_numbers(DType::kF32, {30, 1});
  const Tensor v = small_numbers(DType::kF32, {25, 40}, 3);
  expect_equal(model, {{"a", a}, {"b", b}, {"v", v}});
}

TEST(ContractThrough, ADiagonalOfAProduct) {
  ModelBuilder model(12);
  model.input("a", DType::kF32, {"", ""}).input("b", DType::kF32, {"", ""}).output("y");
  const auto with = [&](const std::string& equation, const Dims& a, const Dims& b) {
    ModelBuilder whole = model;
    whole.node("p", "Einsum", {"a", "b"}, {"t"}, {text("equation", equation)});
    whole.node("q", "Einsum", {"t"}, {"y"}, {text("equation", "ii->")});
    const Tensor x = small_numbers(DType::kF32, a, 1), y = small_numbers(DType::kF32, b, 2);
    return merged(expect_equal(whole, {{"a", x}, {"b", y}}));
  };
  EXPECT_TRUE(with("ij,jk->ik", {30, 30}, {30, 30}));
  EXPECT_TRUE(with("ij,ij->ij", {30, 30}, {30, 30}));
  EXPECT_FALSE(with("ij,ij->ij", {1, 30}, {30, 30}));  // the diagonal of a is not that of a b
}

TEST(ContractThrough, LongChainsAreCutIntoTrees) {
  const int count = 40;
  ModelBuilder model(13);
  model.input("x0", DType::kI64, {8, 8}).input("v", DType::kI64, {8, 1});
  for (int i = 1; i < count; ++i)
    model.node("m" + std::to_string(i), "MatMul", {"x" + std::to_string(i - 1), "x0"},
               {"x" + std::to_string(i)});
  // x0 is an input that all of them take; each product is used once.
  model.node("last", "MatMul", {"x" + std::to_string(count - 1), "v"}, {"y"}).output("y");
  const Tensor x = small_numbers(DType::kI64, {8, 8}), v = small_numbers(DType::kI64, {8, 1}, 2);
  const Graph graph = load(model), apart = load(model, false);
  const Graph::Inputs inputs = {{"x0", x}, {"v", v}};
  // Wrapping integers are equal in every order.
  EXPECT_EQ(values<std::int64_t>(graph.run(inputs).at("y")),
            values<std::int64_t>(apart.run(inputs).at("y")));
  std::string text = graph.explain();
  int lines = 0;
  for (char c : text) lines += c == '\n';
  EXPECT_EQ(lines, count);
}

TEST(ContractThrough, MergesBranchesToo) {
  // (A B) (C v): a tree with two givers.
  ModelBuilder model(13);
  model.input("a", DType::kF64, {20, 30}).input("b", DType::kF64, {30, 40});
  model.input("c", DType::kF64, {40, 50}).input("v", DType::kF64, {50, 1});
  model.node("ab", "MatMul", {"a", "b"}, {"t"}).node("cv", "MatMul", {"c", "v"}, {"u"});
  model.node("m", "MatMul", {"t", "u"}, {"y"}).output("y");
  const Tensor a = small_numbers(DType::kF64, {20, 30}, 1),
               b = small_numbers(DType::kF64, {30, 40});
  const Tensor c = small_numbers(DType::kF64, {40, 50}, 3), v = small_numbers(DType::kF64, {50, 1});
  const auto profile = expect_equal(model, {{"a", a}, {"b", b}, {"c", c}, {"v", v}});
  ASSERT_EQ(profile.size(), 3u);
  EXPECT_TRUE(contains(profile[2].detail, "3 nodes as one: ")) << profile[2].detail;
}

TEST(ContractThrough, KeepsHalfPrecisionIntermediatesExact) {
  // 1 · 2049 is no float16; through a result of its own it would be 2048.
  ModelBuilder model(13);
  model.input("a", DType::kF16, {40, 2}).input("b", DType::kF16, {2, 40});
  model.input("v", DType::kF16, {40, 1});
  model.node("ab", "MatMul", {"a", "b"}, {"t"}).node("abv", "MatMul", {"t", "v"}, {"y"});
  model.output("y");
  Tensor a = Tensor::zeros(DType::kF16, {40, 2}), b = Tensor::zeros(DType::kF16, {2, 40});
  Tensor v = Tensor::zeros(DType::kF16, {40, 1});
  a.values<Float16>()[0] = a.values<Float16>()[1] = Float16(1.0F);
  b.values<Float16>()[0] = Float16(2048.0F);
  b.values<Float16>()[1] = Float16(-2048.0F);
  b.values<Float16>()[40] = Float16(1.0F);
  v.values<Float16>()[0] = v.values<Float16>()[1] = Float16(1.0F);
  const Graph::Inputs inputs = {{"a", a}, {"b", b}, {"v", v}};
  std::vector<NodeTime> profile;
  EXPECT_EQ(doubles(load(model).run(inputs, {}, &profile).at("y"))[0], 1);
  EXPECT_TRUE(merged(profile));
  EXPECT_EQ(doubles(load(model, false).run(inputs).at("y"))[0], 0);
}

TEST(ContractThrough, ErrorsNameTheNodeThatIsWrong) {
  const Graph graph = load(product_of_three());
  const Tensor a = small_numbers(DType::kF32, {3, 4}), b = small_numbers(DType::kF32, {4, 5});
  const Tensor v = small_numbers(DType::kF32, {5, 1});
  expect_error(ErrorCode::kShapeMismatch, {"[node 'ab': MatMul-13]", "A (3, 4), B (5, 1)"}, [&] {
    graph.run({{"a", a}, {"b", v}, {"v", b}});
  });
  expect_error(ErrorCode::kShapeMismatch, {"[node 'abv': MatMul-13]", "A (3, 5), B (4, 5)"}, [&] {
    graph.run({{"a", a}, {"b", b}, {"v", b}});
  });
}

TEST(ContractThrough, RunsFromManyThreads) {
  const Graph graph = load(product_of_three(DType::kI64));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&graph, &wrong, t] {
      for (int i = 0; i < 30; ++i) {
        const std::int64_t rows = 1 + (i + static_cast<int>(t)) % 11;  // more than plans are kept
        const Tensor a = small_numbers(DType::kI64, {rows, 6}, 1);
        const Tensor b = small_numbers(DType::kI64, {6, 7}, 2);
        const Tensor v = small_numbers(DType::kI64, {7, 1}, 3);
        const auto out = graph.run({{"a", a}, {"b", b}, {"v", v}}, {.threads = 1});
        const PlainMatmul bv(b, v);
        Tensor middle(DType::kF64, bv.shape);
        std::copy(bv.values.begin(), bv.values.end(), middle.values<double>().begin());
        if (doubles(out.at("y")) != PlainMatmul(a, middle).values) ++wrong[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace tenfold::graph
