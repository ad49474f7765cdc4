// The example layers of the operator's document: each is put into a whole IR, run, and held to the
// shape that the example itself states and to the norm computed in double.
#include <cmath>

#include "graph/testing.hpp"
#include "openvino/ir_builder_for_tests.hpp"

namespace tenfold::openvino {
namespace {

using graph::testing::shape;
using testing::IrBuilder;

struct Example {
  const char* keep_dims;
  std::vector<std::int64_t> axes;    // what the second input holds
  std::vector<std::int64_t> output;  // as the example states it
};

// Input 6x12x10x24 throughout.
const Example kExamples[] = {
    {"True", {2, 3}, {6, 12, 1, 1}},
    {"False", {2, 3}, {6, 12}},
    {"False", {1}, {6, 10, 24}},
    {"False", {-2}, {6, 12, 24}},
};
const Dims kInput{6, 12, 10, 24};

template <class Extents>
std::string port(int id, const Extents& extents) {
  std::string text = "<port id=\"" + std::to_string(id) + "\">";
  for (std::int64_t extent : extents) text += "<dim>" + std::to_string(extent) + "</dim>";
  return text + "</port>";
}

// The layer as the document writes it, with the operator set that an IR adds.
std::string layer_of(const Example& example) {
  const std::vector<std::int64_t> axes{static_cast<std::int64_t>(example.axes.size())};
  return std::string("<layer id=\"2\" type=\"ReduceL2\" version=\"opset4\"><data keep_dims=\"") +
         example.keep_dims + "\"/><input>" + port(0, kInput) + port(1, axes) + "</input><output>" +
         port(2, example.output) + "</output></layer>";
}

double norm_at(const Tensor& x, const Example& example, std::span<const std::int64_t> at) {
  // `at` indexes the output; kept axes of extent 1 and dropped axes both mean "all of it".
  double sum = 0;
  Dims index{0, 0, 0, 0};
  for (std::int64_t flat = 0; flat < x.size(); ++flat) {
    std::int64_t rest = flat;
    for (int axis = 3; axis >= 0; --axis) {
      index[axis] = rest % kInput[axis];
      rest /= kInput[axis];
    }
    bool inside = true;
    std::size_t from = 0;
    for (int axis = 0; axis < 4; ++axis) {
      bool reduced = false;
      for (std::int64_t a : example.axes) reduced |= (a < 0 ? a + 4 : a) == axis;
      if (reduced)
        from += example.output.size() == 4 ? 1 : 0;
      else
        inside &= index[axis] == at[from++];
    }
    const double v = x.values<float>()[static_cast<std::size_t>(flat)];
    if (inside) sum += v * v;
  }
  return std::sqrt(sum);
}

TEST(DocumentExamples, RunAsWholeModels) {
  Tensor x(DType::kF32, kInput);
  for (std::size_t i = 0; i < x.values<float>().size(); ++i)
    x.values<float>()[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 8;
  for (const Example& example : kExamples) {
    IrBuilder ir;
    ir.parameter("x", "6,12,10,24");
    ir.constant("axes", std::to_string(example.axes.size()), "i64", example.axes);
    ir.xml(layer_of(example));
    ir.xml(
        R"(<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>)");
    ir.edge(0, 0, 2, 0).edge(1, 0, 2, 1).edge(2, 2, 3, 0);
    const Graph::Outputs out = ir.load().run({{"x", x}});
    const Tensor& y = out.begin()->second;
    ASSERT_EQ(shape(y), example.output);
    for (std::int64_t flat = 0; flat < y.size(); flat += y.size() / 7) {
      std::vector<std::int64_t> at(example.output.size());
      std::int64_t rest = flat;
      for (std::size_t axis = at.size(); axis-- > 0;) {
        at[axis] = rest % example.output[axis];
        rest /= example.output[axis];
      }
      const double expected = norm_at(x, example, at);
      EXPECT_NEAR(y.values<float>()[static_cast<std::size_t>(flat)], expected, 1e-6 * expected);
    }
  }
}

}  // namespace
}  // namespace tenfold::openvino
