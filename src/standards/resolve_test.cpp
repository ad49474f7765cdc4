// What a good call becomes.
#include <gtest/gtest.h>

#include <string>

#include "standards/resolve_testing.hpp"
#include "tenfold/error.hpp"

namespace tenfold {
namespace {

using testing::arg_node;
using testing::Axes;
using testing::input_of;
using testing::Node;

TEST(Resolve, AxesCountFromTheStart) {
  const Axes axes = {-1, 0};
  Node node{.shape = Dims{2, 3, 4}};
  node.call.axes_input = input_of(axes);
  const ReduceSpec spec = node.resolve();
  EXPECT_EQ(spec.op, ReduceOp::kMax);
  EXPECT_EQ(spec.axes, (Dims{2, 0}));
  EXPECT_TRUE(spec.keepdims);
  EXPECT_EQ(spec.label, "ReduceMax-18");
  EXPECT_EQ(spec.dtype, std::nullopt);
  EXPECT_FALSE(spec.empty_is_error);
}

TEST(Resolve, AttributeFormOfOldVersions) {
  Node node{.version = 1, .shape = Dims{2, 3, 4}};
  node.call.axes_attribute = Axes{-2};
  node.call.keepdims = 0;
  const ReduceSpec spec = node.resolve();
  EXPECT_EQ(spec.axes, (Dims{1}));
  EXPECT_FALSE(spec.keepdims);
  EXPECT_EQ(spec.label, "ReduceMax-1");
  node.call.axes_attribute = Axes{};  // an empty list: as not given
  EXPECT_EQ(node.resolve().axes, std::nullopt);
}

TEST(Resolve, AbsentOrEmptyAxesMeanAllInOnnx) {
  const Axes none;
  Node node;
  EXPECT_EQ(node.resolve().axes, std::nullopt);
  node.call.axes_input = input_of(none);
  EXPECT_EQ(node.resolve().axes, std::nullopt);
  node.call.noop_with_empty_axes = 0;
  EXPECT_EQ(node.resolve().axes, std::nullopt);
  node.shape = Dims{};
  EXPECT_EQ(node.resolve().axes, std::nullopt);
}

TEST(Resolve, NoopKeepsTheOperator) {
  const Axes none, some = {1};
  Node node{.name = "ReduceL1"};
  node.call.noop_with_empty_axes = 1;
  EXPECT_EQ(node.resolve().axes, (Dims{}));
  EXPECT_EQ(node.resolve().op, ReduceOp::kL1);
  node.call.axes_input = input_of(none);
  EXPECT_EQ(node.resolve().axes, (Dims{}));
  node.call.axes_input = input_of(some);  // with axes the attribute says nothing
  EXPECT_EQ(node.resolve().axes, (Dims{1}));
}

TEST(Resolve, OpenVinoEmptyAxesIsTheIdentity) {
  const Axes none;
  for (const char* name : {"ReduceL1", "ReduceL2", "ReduceSum", "ReduceMean", "ReduceMax",
                           "ReduceMin", "ReduceProd"}) {
    Node node{.dialect = Dialect::kOpenVino, .name = name, .version = 0};
    node.call.axes_input = input_of(none);
    const ReduceSpec spec = node.resolve();
    EXPECT_EQ(spec.op, ReduceOp::kSum) << name;
    EXPECT_EQ(spec.axes, (Dims{})) << name;
  }
  for (const char* name : {"ReduceLogicalAnd", "ReduceLogicalOr"}) {
    Node node{.dialect = Dialect::kOpenVino, .name = name, .version = 1, .dtype = DType::kBool};
    node.call.axes_input = input_of(none);
    const ReduceSpec spec = node.resolve();
    EXPECT_EQ(spec.op, ReduceOp::kMax) << name;
    EXPECT_EQ(spec.axes, (Dims{})) << name;
  }
}

TEST(Resolve, OpenVinoAxesOfAnyIntegerTypeAndAsAScalar) {
  const auto check = [](auto value, Dims axes_shape) {
    Node node{.dialect = Dialect::kOpenVino, .name = "ReduceL2", .version = 4};
    node.call.axes_input = TensorView(&value, axes_shape);
    const ReduceSpec spec = node.resolve();
    EXPECT_EQ(spec.axes, (Dims{1}));
    EXPECT_FALSE(spec.keepdims);
    EXPECT_EQ(spec.label, "ReduceL2-4");
  };
  for (const Dims& axes_shape : {Dims{}, Dims{1}}) {
    check(std::int8_t{-1}, axes_shape);
    check(std::int16_t{-1}, axes_shape);
    check(std::int32_t{-1}, axes_shape);
    check(std::int64_t{-1}, axes_shape);
    check(std::uint8_t{1}, axes_shape);
    check(std::uint16_t{1}, axes_shape);
    check(std::uint32_t{1}, axes_shape);
    check(std::uint64_t{1}, axes_shape);
  }
}

TEST(Resolve, AxesInputWithStrides) {
  const Axes memory = {2, 99, 0, 99};
  Node node{.shape = Dims{2, 3, 4}};
  node.call.axes_input = TensorView(memory.data(), DType::kI64, Dims{2}, Dims{2});
  EXPECT_EQ(node.resolve().axes, (Dims{2, 0}));
}

TEST(Resolve, AHugeUnsignedAxisIsPastTheLast) {
  const std::uint64_t axis = ~std::uint64_t{0};
  Node node{.dialect = Dialect::kOpenVino, .version = 1};
  node.call.axes_input = TensorView(&axis, Dims{1});
  EXPECT_THROW(node.resolve(), Error);
}

TEST(Resolve, ArgDefaults) {
  Node node = arg_node("ArgMin", 13);
  ReduceSpec spec = node.resolve();
  EXPECT_EQ(spec.op, ReduceOp::kArgMin);
  EXPECT_EQ(spec.axes, (Dims{0}));
  EXPECT_TRUE(spec.keepdims);
  EXPECT_FALSE(spec.select_last_index);
  node.call.select_last_index = 0;
  EXPECT_FALSE(node.resolve().select_last_index);
  for (std::int64_t value : {1, 2, -1}) {  // any value but 0 selects the last
    node.call.select_last_index = value;
    EXPECT_TRUE(node.resolve().select_last_index);
  }
}

TEST(Resolve, ArgBesideAnotherEmptyAxis) {
  Node node = arg_node();
  node.shape = Dims{0, 3};
  node.call.axes_attribute = Axes{1};
  EXPECT_EQ(node.resolve().axes, (Dims{1}));
}

Node numpy_node(const char* name, DType dtype) {
  return Node{.dialect = Dialect::kNumpy, .name = name, .version = 0, .dtype = dtype};
}

TEST(ResolveNumpy, SumsOfIntegersWiden) {
  for (const char* name : {"sum", "prod", "l1", "sumsquare"}) {
    for (DType dtype : {DType::kI8, DType::kI16, DType::kI32, DType::kBool})
      EXPECT_EQ(numpy_node(name, dtype).resolve().dtype, DType::kI64) << name;
    for (DType dtype : {DType::kU8, DType::kU16, DType::kU32})
      EXPECT_EQ(numpy_node(name, dtype).resolve().dtype, DType::kU64) << name;
    for (DType dtype :
         {DType::kI64, DType::kU64, DType::kF16, DType::kBF16, DType::kF32, DType::kF64})
      EXPECT_EQ(numpy_node(name, dtype).resolve().dtype, std::nullopt) << name;
  }
}

TEST(ResolveNumpy, MeansOfIntegersAreFloat64) {
  for (const char* name : {"mean", "l2", "logsum", "logsumexp"}) {
    for (DType dtype : {DType::kI8, DType::kI64, DType::kU64, DType::kBool})
      EXPECT_EQ(numpy_node(name, dtype).resolve().dtype, DType::kF64) << name;
    for (DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64})
      EXPECT_EQ(numpy_node(name, dtype).resolve().dtype, std::nullopt) << name;
  }
}

TEST(ResolveNumpy, TheOthersKeepTheirType) {
  for (const char* name : {"max", "min", "argmax", "argmin"})
    for (DType dtype : {DType::kI8, DType::kU64, DType::kBool, DType::kF16}) {
      Node node = numpy_node(name, dtype);
      node.call.axes_attribute = Axes{0};
      EXPECT_EQ(node.resolve().dtype, std::nullopt) << name;
    }
}

TEST(ResolveNumpy, AllAndAnyTakeTruth) {
  for (const char* name : {"all", "any"}) {
    EXPECT_EQ(numpy_node(name, DType::kF32).resolve().dtype, DType::kBool);
    EXPECT_EQ(numpy_node(name, DType::kBool).resolve().dtype, std::nullopt);
  }
}

TEST(ResolveNumpy, OnlyMaxAndMinRefuseTheEmptySet) {
  for (const OperatorRow& row : operator_rows()) {
    if (row.dialect != Dialect::kNumpy) continue;
    ReduceCall call;
    call.axes_attribute = Axes{0};
    const ReduceSpec spec = resolve(row, call, TensorView(nullptr, DType::kF32, Dims{2, 3}));
    EXPECT_EQ(spec.empty_is_error, row.name == "max" || row.name == "min") << row.name;
    EXPECT_EQ(spec.label, row.name);
    EXPECT_FALSE(spec.keepdims);
  }
}

TEST(ResolveNumpy, EmptyTupleReducesNothing) {
  Node node = numpy_node("l1", DType::kF32);
  EXPECT_EQ(node.resolve().axes, std::nullopt);
  node.call.axes_attribute = Axes{};
  EXPECT_EQ(node.resolve().axes, (Dims{}));
  EXPECT_EQ(node.resolve().op, ReduceOp::kL1);
}

TEST(ResolveNumpy, ArgOfAScalarAndOfOneAxis) {
  Node node = numpy_node("argmax", DType::kBool);
  node.shape = Dims{};
  EXPECT_EQ(node.resolve().axes, std::nullopt);
  node.call.axes_attribute = Axes{-1};
  EXPECT_EQ(node.resolve().axes, std::nullopt);
  node.call.axes_attribute = Axes{1};
  EXPECT_THROW(node.resolve(), Error);
  node.call.axes_attribute = std::nullopt;
  node.shape = Dims{5};
  EXPECT_EQ(node.resolve().axes, (Dims{0}));
}

}  // namespace
}  // namespace tenfold
