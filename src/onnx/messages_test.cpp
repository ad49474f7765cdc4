#include "onnx/messages.hpp"

#include "graph/testing.hpp"

namespace tenfold::onnx {
namespace {

using namespace testing;
using graph::testing::expect_error;

template <class F>
Bytes raw(F write) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

TEST(Attribute, HasTheValueOfItsType) {
  EXPECT_EQ(std::get<std::int64_t>(*read_attribute(integer("a", -3), {}).value), -3);
  EXPECT_EQ(std::get<float>(*read_attribute(number("a", 2.5F), {}).value), 2.5F);
  EXPECT_EQ(std::get<std::string>(*read_attribute(text("a", "word"), {}).value), "word");
  using Ints = std::vector<std::int64_t>;
  EXPECT_EQ(std::get<Ints>(*read_attribute(integers("a", {1, -2}), {}).value), (Ints{1, -2}));
  EXPECT_EQ(std::get<Ints>(*read_attribute(integers("a", {}), {}).value), Ints{});
  EXPECT_EQ(std::get<Ints>(*read_attribute(packed_integers("a", {1, -2}), {}).value),
            (Ints{1, -2}));
  EXPECT_EQ(std::get<std::vector<float>>(*read_attribute(numbers("a", {1, 2}), {}).value).size(),
            2u);
  const Tensor t = Tensor::of<float>({1, 2}, {2});
  EXPECT_EQ(std::get<Tensor>(*read_attribute(tensor("a", t), {}).value).size(), 2);
  const auto opaque = read_attribute(subgraph("a"), {});
  EXPECT_EQ(std::get<graph::Opaque>(*opaque.value).kind, "a subgraph");
}

TEST(Attribute, WithoutATypeIsWhatItHolds) {
  const Bytes old = raw([](auto& w) {
    w.add_string(1, "a");
    w.add_int64(3, 5);
  });
  EXPECT_EQ(std::get<std::int64_t>(*read_attribute(old, {}).value), 5);
  expect_error(ErrorCode::kMalformedModel, {"attribute 'a'", "neither a type nor a value"},
               [] { read_attribute(raw([](auto& w) { w.add_string(1, "a"); }), {}); });
}

TEST(Attribute, MayReferToOneOfTheFunction) {
  const Bytes message = reference("axes", "outer");  // the attribute's texts are views of it
  const AttributeProto attribute = read_attribute(message, {});
  EXPECT_EQ(attribute.reference, "outer");
  EXPECT_EQ(attribute.value, nullptr);
}

TEST(Attribute, IsRefusedWhenDamaged) {
  expect_error(ErrorCode::kMalformedModel, {"field 3 of AttributeProto", "wire type"},
               [] { read_attribute(raw([](auto& w) { w.add_string(3, "no integer"); }), {}); });
  expect_error(ErrorCode::kMalformedModel, {"unknown attribute type", "99"},
               [] { read_attribute(raw([](auto& w) { w.add_int32(20, 99); }), {}); });
  expect_error(ErrorCode::kMalformedModel, {"the tensor is missing"},
               [] { read_attribute(raw([](auto& w) { w.add_int32(20, 4); }), {}); });
  expect_error(ErrorCode::kUnsupportedFeature, {"attribute 'a'", "STRING"}, [] {
    const Bytes strings = raw([](auto& w) { w.add_int32(2, 8); });
    read_attribute(attribute("a", 4, [&](auto& w) { w.add_message(5, strings); }), {});
  });
}

TEST(ValueInfo, SaysTypeAndShape) {
  const Port port = read_value_info(value_info("x", 1, {"N", 3, ""}));
  EXPECT_EQ(port.name, "x");
  EXPECT_EQ(port.dtype, DType::kF32);
  ASSERT_EQ(port.shape->size(), 3u);
  EXPECT_EQ((*port.shape)[0].symbol, "N");
  EXPECT_EQ((*port.shape)[1].value, 3);
  EXPECT_EQ((*port.shape)[2].value, -1);
  EXPECT_TRUE((*port.shape)[2].symbol.empty());
  const Port bare = read_value_info(raw([](auto& w) { w.add_string(1, "x"); }));
  EXPECT_FALSE(bare.dtype || bare.shape);
}

TEST(ValueInfo, OfOtherThingsThanTensorsIsRefused) {
  expect_error(ErrorCode::kUnsupportedFeature, {"'x'", "STRING"},
               [] { read_value_info(value_info("x", 8, {})); });
  expect_error(ErrorCode::kUnsupportedFeature, {"'s'", "a tensor"}, [] {
    const Bytes sequence = raw([](auto& w) { w.add_message(4, std::string()); });
    read_value_info(raw([&](auto& w) {
      w.add_string(1, "s");
      w.add_message(2, sequence);
    }));
  });
  expect_error(ErrorCode::kMalformedModel, {"negative extent", "-2"},
               [] { read_value_info(value_info("x", 1, {-2})); });
  expect_error(ErrorCode::kRankTooLarge, {"'x'"},
               [] { read_value_info(value_info("x", 1, std::vector<Extent>(65, 1))); });
}

TEST(Node, KeepsInputsThatAreLeftOut) {
  const Bytes message = node("n", "Op", {"a", "", "c"}, {"y"}, {integer("k", 1)},
                             {.domain = "ai.onnx", .overload = "o"});
  const NodeProto read = read_node(message, {});
  EXPECT_EQ(read.inputs, (std::vector<std::string_view>{"a", "", "c"}));
  EXPECT_EQ(read.domain, "");
  EXPECT_EQ(read.overload, "o");
  EXPECT_EQ(read.attributes.size(), 1u);
}

}  // namespace
}  // namespace tenfold::onnx
