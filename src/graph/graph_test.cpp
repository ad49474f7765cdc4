#include "tenfold/graph.hpp"

#include <fstream>

#include "graph/testing.hpp"

namespace tenfold::graph {
namespace {

using namespace testing;
using onnx::testing::ModelBuilder;

class GraphFiles : public ::testing::Test {
 protected:
  GraphFiles() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("graph_") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~GraphFiles() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

std::string onnx_model() {
  ModelBuilder model(18);
  return model.input("x", DType::kF32, {3}).node("m", "Abs", {"x"}, {"y"}).output("y").bytes();
}

// Keeps x as it is; with a constant as a second output when `weights` is true.
std::string ir_model(bool weights) {
  std::string layers =
      R"(<layer id="0" name="x" type="Parameter" version="opset1">)"
      R"(<data shape="3" element_type="f32"/><output><port id="0"/></output></layer>)"
      R"(<layer id="1" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>)";
  std::string edges = R"(<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>)";
  if (weights) {
    layers +=
        R"(<layer id="2" name="c" type="Const" version="opset1">)"
        R"(<data element_type="u8" shape="2" offset="0" size="2"/><output><port id="0"/></output></layer>)"
        R"(<layer id="3" name="r2" type="Result" version="opset1"><input><port id="0"/></input></layer>)";
    edges += R"(<edge from-layer="2" from-port="0" to-layer="3" to-port="0"/>)";
  }
  return "<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\"><layers>" + layers +
         "</layers><edges>" + edges + "</edges></net>";
}

const Tensor kX = Tensor::of<float>({-1, 2, -3}, {3});

TEST_F(GraphFiles, AreToldApartByContentNotByName) {
  const Graph onnx = Graph::load(write("odd.xml", onnx_model()));
  EXPECT_EQ(values<float>(onnx.run({{"x", kX}}).at("y")), (std::vector<float>{1, 2, 3}));
  const Graph ir = Graph::load(write("odd.onnx", "\xEF\xBB\xBF \n" + ir_model(false)));
  EXPECT_EQ(ir.run({{"x", kX}}).size(), 1u);
}

TEST_F(GraphFiles, OfOpenVinoHaveTheirWeightsBeside) {
  const auto path = write("m.xml", ir_model(true));
  expect_error(ErrorCode::kMalformedModel, {"layer 'c' Const", "outside the weights", "0 bytes"},
               [&] { Graph::load(path); });
  write("m.bin", "\x05\x06");
  const auto out = Graph::load(path).run({{"x", kX}});
  EXPECT_EQ(values<std::uint8_t>(out.at("c")), (std::vector<std::uint8_t>{5, 6}));
}

TEST_F(GraphFiles, ThatAreNoModelsAreRefused) {
  expect_error(ErrorCode::kFile, {"missing.onnx"}, [&] { Graph::load(folder_ / "missing.onnx"); });
  expect_error(ErrorCode::kMalformedModel, {"an empty file"},
               [&] { Graph::load(write("empty.onnx", "")); });
  expect_error(ErrorCode::kMalformedModel, {"not an ONNX model"},
               [&] { Graph::load(write("text.onnx", "hello, world")); });
  expect_error(ErrorCode::kMalformedModel, {"there is no <net>"},
               [&] { Graph::load(write("page.xml", "<html></html>")); });
}

TEST(Graph, Moves) {
  ModelBuilder model(18);
  Graph first =
      model.input("x", DType::kF32, {3}).node("m", "Abs", {"x"}, {"y"}).output("y").load();
  Graph second = std::move(first);
  EXPECT_EQ(values<float>(second.run({{"x", kX}}).at("y")), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace tenfold::graph
