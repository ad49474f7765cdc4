#include "openvino/text.hpp"

#include "graph/testing.hpp"

namespace tenfold::openvino {
namespace {

using graph::testing::expect_error;

graph::InputPort declared(const std::string& text) {
  graph::InputPort input;
  parse_declared_shape(text, "here", input);
  return input;
}

TEST(Text, Integers) {
  EXPECT_EQ(parse_integer(" -12 ", "here", "id"), -12);
  for (const char* bad : {"", "1x", "0x1", "1.5", "9223372036854775808"})
    expect_error(ErrorCode::kMalformedModel, {"here", "bad id"},
                 [&] { parse_integer(bad, "here", "id"); });
}

TEST(Text, Booleans) {
  for (const char* yes : {"true", "True", "1"}) EXPECT_TRUE(parse_boolean(yes, "here", "k"));
  for (const char* no : {"false", "False", "0"}) EXPECT_FALSE(parse_boolean(no, "here", "k"));
  for (const char* bad : {"", "yes", "TRUE", "2"})
    expect_error(ErrorCode::kAttributeValue, {"here", "bad value of k", "true or false"},
                 [&] { parse_boolean(bad, "here", "k"); });
}

TEST(Text, ElementTypes) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (is_complex(dtype)) continue;
    EXPECT_EQ(parse_element_type(dtype == DType::kBool ? "boolean" : name_of(dtype), "here"),
              dtype);
  }
  for (const char* other :
       {"u1", "i4", "u4", "nf4", "f8e4m3", "string", "float32", "bool", "c64", "complex64", ""})
    expect_error(ErrorCode::kUnsupportedFeature, {"here", "f64, f32"},
                 [&] { parse_element_type(other, "here"); });
}

TEST(Text, OperatorSets) {
  EXPECT_EQ(parse_opset("opset1", "here"), 1);
  EXPECT_EQ(parse_opset("opset15", "here"), 15);
  for (const char* other : {"opset0", "opset16", "opset", "opset4a", "4", "extension"})
    expect_error(ErrorCode::kUnsupportedVersion, {"here", "opset1 .. opset15", other},
                 [&] { parse_opset(other, "here"); });
  expect_error(ErrorCode::kMalformedModel, {"does not say its operator set"},
               [] { parse_opset("", "here"); });
}

TEST(Text, Shapes) {
  EXPECT_EQ(parse_fixed_shape("2, 3,4", "here"), (Dims{2, 3, 4}));
  EXPECT_EQ(parse_fixed_shape("", "here"), Dims{});
  for (const char* bad : {"2,,3", "2,-1", "?", "2,3,", "1..2"})
    expect_error(ErrorCode::kMalformedModel, {"here"}, [&] { parse_fixed_shape(bad, "here"); });
  std::string many = "1";
  for (int i = 0; i < 100000; ++i) many += ",1";
  expect_error(ErrorCode::kRankTooLarge, {"at most 64"}, [&] { parse_fixed_shape(many, "here"); });
}

TEST(Text, DeclaredShapes) {
  const graph::InputPort input = declared("2,?,-1,1..10,3..,..8");
  const auto& shape = *input.port.shape;
  ASSERT_EQ(shape.size(), 6u);
  EXPECT_EQ(shape[0].value, 2);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(shape[i].value, -1) << i;
  EXPECT_EQ(input.bounds[3].low, 1);
  EXPECT_EQ(input.bounds[3].high, 10);
  EXPECT_EQ(input.bounds[4].low, 3);
  EXPECT_EQ(input.bounds[5].high, 8);
  EXPECT_FALSE(declared("...").port.shape);
  EXPECT_TRUE(declared("").port.shape->empty());
  expect_error(ErrorCode::kMalformedModel, {"empty range"}, [] { declared("5..2"); });
  expect_error(ErrorCode::kMalformedModel, {"negative extent"}, [] { declared("-2"); });
}

TEST(Text, Names) {
  EXPECT_EQ(split_names(R"(a,b\,c,,d)"), (std::vector<std::string>{"a", "b,c", "d"}));
  EXPECT_TRUE(split_names("").empty());
  EXPECT_EQ(split_names(std::string(100, 'a') + ",b,c,d,e,f,g,h,i,j").size(), 8u);
}

}  // namespace
}  // namespace tenfold::openvino
