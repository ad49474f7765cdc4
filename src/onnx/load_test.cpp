#include "onnx/load.hpp"

#include <fstream>

#include "graph/testing.hpp"

namespace tenfold::onnx {
namespace {

using namespace testing;
using graph::testing::expect_error;
using graph::testing::values;

using Floats = std::vector<float>;
const Tensor kX = Tensor::of<float>({-1, 2, -3}, {3});

Graph load_bytes(std::string_view bytes) {
  return Graph::load_onnx(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

ModelBuilder abs_model(std::int64_t opset = 18, std::int64_t ir_version = 8) {
  ModelBuilder model(opset, ir_version);
  model.input("x", DType::kF32, {3}).node("a", "Abs", {"x"}, {"y"}).output("y");
  return model;
}

// A model that multiplies x by initialiser "w", whose TensorProto is given.
ModelBuilder scaled_by(const Bytes& initialiser) {
  ModelBuilder model(14);
  model.input("x", DType::kF32, {3}).graph_field(5, initialiser);
  model.node("m", "Mul", {"x", "w"}, {"y"}).output("y");
  return model;
}

// TensorProto "w", float, of `dims`; `fill` writes the data.
template <class F>
Bytes float_tensor(const std::vector<std::int64_t>& dims, F fill) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_packed_int64(1, dims.begin(), dims.end());
  writer.add_int32(2, 1);
  writer.add_string(8, "w");
  fill(writer);
  return bytes;
}

Bytes external_tensor(const Texts& keys_and_values) {
  return float_tensor({3}, [&](auto& writer) {
    writer.add_int32(14, 1);
    for (std::size_t i = 0; i < keys_and_values.size(); i += 2) {
      protozero::pbf_writer entry(writer, 13);
      entry.add_string(1, keys_and_values[i]);
      entry.add_string(2, keys_and_values[i + 1]);
    }
  });
}

TEST(OnnxModel, FollowsItsOperatorSet) {
  for (int opset : {1, 6, 13, 28})
    EXPECT_EQ(values<float>(abs_model(opset).load().run({{"x", kX}}).at("y")), (Floats{1, 2, 3}));
  // Before IR 3 there were no operator sets: version 1 of every operator.
  EXPECT_NE(abs_model(0, 2).load().explain().find("Abs-1("), std::string::npos);
  expect_error(ErrorCode::kMalformedModel, {"node 'a'", "does not say its operator set"},
               [] { abs_model(0, 8).load(); });
  expect_error(ErrorCode::kUnsupportedVersion, {"opset 1 .. 28", "29"},
               [] { abs_model(29).load(); });
  expect_error(ErrorCode::kMalformedModel, {"two opset versions", "13 and 14"},
               [] { abs_model(13).model_field(8, opset_id("ai.onnx", 14)).load(); });
  EXPECT_EQ(ModelBuilder(0)
                .model_field(8, opset_id("ai.onnx", 13))
                .input("x", DType::kF32, {3})
                .node("a", "Abs", {"x"}, {"y"}, {}, {.domain = "ai.onnx", .overload = {}})
                .output("y")
                .load()
                .run({{"x", kX}})
                .size(),
            1u);
}

TEST(OnnxModel, ReadsRawAndTypedInitialisers) {
  const Floats scaled{-2, 4, -6};
  const auto run = [](const Bytes& initialiser) {
    return values<float>(scaled_by(initialiser).load().run({{"x", kX}}).at("y"));
  };
  const float two = 2;
  EXPECT_EQ(run(float_tensor({1}, [&](auto& w) { w.add_packed_float(4, &two, &two + 1); })),
            scaled);
  EXPECT_EQ(run(float_tensor({}, [&](auto& w) { w.add_float(4, two); })), scaled);
  EXPECT_EQ(run(float_tensor({1, 1},
                             [&](auto& w) {
                               w.add_bytes(9, std::string(reinterpret_cast<const char*>(&two), 4));
                             }))
                .size(),
            3u);
}

TEST(OnnxModel, RefusesBadInitialisers) {
  expect_error(ErrorCode::kMalformedData, {"initialiser", "w"},
               [] { scaled_by(float_tensor({3}, [](auto&) {})).load(); });
  expect_error(ErrorCode::kMalformedData, {"initialiser"}, [] {
    scaled_by(float_tensor({INT64_C(1) << 40}, [](auto& w) { w.add_bytes(9, "1234"); })).load();
  });
  const Tensor w = Tensor::of<float>({1}, {1});
  expect_error(ErrorCode::kMalformedModel, {"initialiser 'w'", "given twice"},
               [&] { abs_model().initialiser("w", w).initialiser("w", w).load(); });
  expect_error(ErrorCode::kMalformedModel, {"has no name"},
               [&] { abs_model().initialiser("", w).load(); });
  expect_error(ErrorCode::kUnsupportedFeature, {"sparse initialisers"},
               [] { abs_model().graph_field(15, "").load(); });
}

TEST(OnnxModel, RefusesNamesThatClash) {
  expect_error(ErrorCode::kMalformedModel, {"'y' is defined twice", "node 'b'", "node 'a'"},
               [] { abs_model().node("b", "Abs", {"x"}, {"y"}).load(); });
  expect_error(ErrorCode::kMalformedModel, {"'x' is defined twice"},
               [] { abs_model().input("x", DType::kF32, {3}).load(); });
  expect_error(ErrorCode::kMalformedModel, {"output 'y'", "given twice"},
               [] { abs_model().output("y").load(); });
  expect_error(ErrorCode::kMalformedModel, {"output 'z'", "given by nothing"},
               [] { abs_model().output("z").load(); });
  expect_error(ErrorCode::kMalformedModel, {"node 'b' Abs", "'nowhere' is given by nothing"},
               [] { abs_model().node("b", "Abs", {"nowhere"}, {"z"}).load(); });
  expect_error(ErrorCode::kMalformedModel, {"form a cycle"}, [] {
    abs_model().node("b", "Abs", {"p"}, {"q"}).node("c", "Abs", {"q"}, {"p"}).load();
  });
}

TEST(OnnxModel, CallsUnnamedNodesByTheirOutput) {
  expect_error(ErrorCode::kUnsupportedOperator, {"[node giving 'z': Conv-18]"},
               [] { abs_model().node("", "Conv", {"x"}, {"z"}).load(); });
  EXPECT_NE(abs_model().node("", "Abs", {"x"}, {"z"}).load().explain().find("z: Abs-13(x) -> z"),
            std::string::npos);
}

TEST(OnnxModel, NeedsAGraphWithOutputs) {
  expect_error(ErrorCode::kMalformedModel, {"there is no graph"}, [] { load_bytes(""); });
  expect_error(ErrorCode::kMalformedModel, {"there is no graph"},
               [] { load_bytes(std::string_view("\x08\x08", 2)); });
  expect_error(ErrorCode::kMalformedModel, {"no outputs"}, [] { ModelBuilder(18).load(); });
  expect_error(ErrorCode::kMalformedModel, {"two graphs"},
               [] { abs_model().model_field(7, "").load(); });
}

TEST(OnnxModel, CutOffAnywhereIsAnErrorAndNothingElse) {
  ModelBuilder model = scaled_by(float_tensor({1}, [](auto& w) { w.add_float(4, 2.0F); }));
  model.axes("axes", {0}).node("s", "ReduceSum", {"y", "axes"}, {"s"}, {integer("keepdims", 0)});
  const Bytes whole = model.bytes();
  EXPECT_NO_THROW(load_bytes(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(load_bytes(std::string_view(whole).substr(0, size)), Error) << size;
}

TEST(OnnxModel, WithAnyByteChangedLoadsOrIsRefused) {
  Bytes bytes = abs_model().axes("w", {1, 2}).bytes();
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      try {
        load_bytes(bytes);
      } catch (const Error&) {
        ++refused;
      }
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    }
  EXPECT_GT(refused, 100);
}

class OnnxExternalData : public ::testing::Test {
 protected:
  OnnxExternalData() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    top_ = std::filesystem::path(::testing::TempDir()) / (std::string("onnx_") + info->name());
    std::filesystem::remove_all(top_);
    std::filesystem::create_directories(top_ / "model");
    const float weights[] = {9, 10, 20, 30};
    for (const char* name : {"model/w.bin", "secret.bin"})
      std::ofstream(top_ / name, std::ios::binary)
          .write(reinterpret_cast<const char*>(weights), sizeof weights);
  }
  ~OnnxExternalData() override { std::filesystem::remove_all(top_); }

  Graph load(const Texts& entries) const {
    return scaled_by(external_tensor(entries)).load(top_ / "model");
  }
  void expect_refused(const Texts& entries) const {
    EXPECT_THROW(load(entries), Error) << entries[1];
  }

  std::filesystem::path top_;
};

TEST_F(OnnxExternalData, IsReadFromTheFolderOfTheModel) {
  const Graph graph = load({"location", "w.bin", "offset", "4", "length", "12"});
  EXPECT_EQ(values<float>(graph.run({{"x", kX}}).at("y")), (Floats{-10, 40, -90}));
  const Bytes bytes = scaled_by(external_tensor({"location", "w.bin", "offset", "4"})).bytes();
  std::ofstream(top_ / "model" / "m.onnx", std::ios::binary) << bytes;
  EXPECT_EQ(values<float>(Graph::load(top_ / "model" / "m.onnx").run({{"x", kX}}).at("y")),
            (Floats{-10, 40, -90}));
}

TEST_F(OnnxExternalData, IsNeverReadFromElsewhere) {
  std::filesystem::create_symlink(top_ / "secret.bin", top_ / "model" / "link.bin");
  std::filesystem::create_directory_symlink(top_, top_ / "model" / "up");
  for (const std::string& location :
       {std::string("../secret.bin"), (top_ / "secret.bin").string(), std::string("link.bin"),
        std::string("up/secret.bin"), std::string("."), std::string(""), std::string("gone.bin")})
    expect_refused({"location", location, "offset", "0", "length", "12"});
  expect_error(ErrorCode::kUnsupportedFeature, {"initialiser", "w"}, [] {
    scaled_by(external_tensor({"location", "w.bin"})).load();
  });
}

TEST_F(OnnxExternalData, MustLieWithinTheFile) {
  expect_refused({"location", "w.bin", "offset", "8", "length", "12"});
  expect_refused({"location", "w.bin", "offset", "-4", "length", "12"});
  expect_refused({"location", "w.bin", "offset", "9223372036854775807", "length", "12"});
  expect_refused({"location", "w.bin", "offset", "0", "length", "16"});
  expect_refused({"location", "w.bin", "offset", "four"});
}

}  // namespace
}  // namespace tenfold::onnx
