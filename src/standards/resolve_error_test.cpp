// The mistakes of a call, one test each: the code and the whole text.
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

void expect_refused(ErrorCode code, const std::string& text, const Node& node) {
  try {
    node.resolve();
    FAIL() << "no error; expected " << text;
  } catch (const Error& e) {
    EXPECT_EQ(name_of(e.code()), name_of(code));
    EXPECT_EQ(std::string(e.what()), text);
  }
}

// ONNX ReduceMax-18 with axes as its input.
void expect_axes_error(ErrorCode code, const std::string& text, const Axes& axes,
                       const Dims& shape = {2, 3}) {
  Node node;
  node.shape = shape;
  node.call.axes_input = input_of(axes);
  expect_refused(code, text, node);
}

TEST(ResolveError, AxisTooHigh) {
  expect_axes_error(
      ErrorCode::kAxisOutOfRange,
      "[ReduceMax-18] axis out of range, past the last: expected -2 .. 1 (rank 2), got 2", {2});
}

TEST(ResolveError, AxisTooLow) {
  expect_axes_error(
      ErrorCode::kAxisOutOfRange,
      "[ReduceMax-18] axis out of range, before the first: expected -2 .. 1 (rank 2), got -3",
      {-3});
}

TEST(ResolveError, AxisOfAScalar) {
  expect_axes_error(ErrorCode::kAxisOutOfRange,
                    "[ReduceMax-18] axis out of range, past the last: expected no axis at all "
                    "(rank 0), got 0",
                    {0}, Dims{});
  expect_axes_error(ErrorCode::kAxisOutOfRange,
                    "[ReduceMax-18] axis out of range, before the first: expected no axis at all "
                    "(rank 0), got -1",
                    {-1}, Dims{});
}

TEST(ResolveError, AxisTwice) {
  expect_axes_error(ErrorCode::kDuplicateAxis,
                    "[ReduceMax-18] axis given twice: expected each axis once, got 1 twice",
                    {1, 1});
}

TEST(ResolveError, AxisTwiceFromBothEnds) {
  expect_axes_error(ErrorCode::kDuplicateAxis,
                    "[ReduceMax-18] the same axis given from both ends: expected each axis once, "
                    "got 1 and -1, both axis 1 of 2",
                    {1, -1});
}

TEST(ResolveError, ALongListIsNotReadToItsEnd) {
  const std::int64_t one = 0;  // 2^40 entries by a stride of 0
  Node node;
  node.call.axes_input = TensorView(&one, DType::kI64, Dims{std::int64_t{1} << 40}, Dims{0});
  expect_refused(ErrorCode::kDuplicateAxis,
                 "[ReduceMax-18] axis given twice: expected each axis once, got 0 twice", node);
}

TEST(ResolveError, Type) {
  Node node;
  node.dtype = DType::kI16;
  expect_refused(ErrorCode::kTypeNotAllowed,
                 "[ReduceMax-18] element type not allowed: expected float64, float32, float16, "
                 "bfloat16, int8, int32, int64, uint8, uint32, uint64, got int16",
                 node);
}

TEST(ResolveError, TypeOfALaterVersion) {
  Node node{.version = 11, .dtype = DType::kU8};
  expect_refused(
      ErrorCode::kTypeNotAllowed,
      "[ReduceMax-11] element type not allowed: expected float64, float32, float16, int32, "
      "int64, uint32, uint64 (uint8 is allowed from opset 12), got uint8",
      node);
}

TEST(ResolveError, TypeOfAnEarlierVersion) {
  Node node{.name = "ReduceLogSum", .version = 28, .dtype = DType::kI32};
  expect_refused(ErrorCode::kTypeNotAllowed,
                 "[ReduceLogSum-28] element type not allowed: expected float64, float32, float16, "
                 "bfloat16 (int32 is allowed before opset 28), got int32",
                 node);
}

TEST(ResolveError, TypeOpenVino) {
  const Axes axes = {1};
  Node node{.dialect = Dialect::kOpenVino,
            .name = "ReduceLogicalAnd",
            .version = 1,
            .dtype = DType::kI32};
  node.call.axes_input = input_of(axes);
  expect_refused(ErrorCode::kTypeNotAllowed,
                 "[ReduceLogicalAnd-1] element type not allowed: expected bool, got int32", node);
  node.name = "ReduceSum";
  node.dtype = DType::kBool;
  expect_refused(ErrorCode::kTypeNotAllowed,
                 "[ReduceSum-1] element type not allowed: expected float64, float32, float16, "
                 "bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, got bool",
                 node);
}

TEST(ResolveError, ComplexNumbersInEveryRow) {
  for (const OperatorRow& row : operator_rows())
    for (const DType dtype : {DType::kC64, DType::kC128}) try {
        resolve(row, {}, TensorView(nullptr, dtype, Dims{2, 3}));
        ADD_FAILURE() << "no error: " << row.name;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::kTypeNotAllowed) << e.what();
        EXPECT_NE(std::string(e.what()).find(numpy_name_of(dtype)), std::string::npos) << e.what();
      }
}

TEST(ResolveError, AxesWithTwoDimensions) {
  const Axes axes = {0, 1};
  Node node;
  node.call.axes_input = TensorView(axes.data(), Dims{1, 2});
  expect_refused(
      ErrorCode::kAxesRank,
      "[ReduceMax-18] axes have too many dimensions: expected a list: rank 1, got rank 2, "
      "shape (1, 2)",
      node);
  node.dialect = Dialect::kOpenVino;
  node.version = 1;
  expect_refused(
      ErrorCode::kAxesRank,
      "[ReduceMax-1] axes have too many dimensions: expected a list or a scalar: rank 1 or "
      "0, got rank 2, shape (1, 2)",
      node);
}

TEST(ResolveError, AxesAsAScalarInOnnx) {
  const std::int64_t axis = 1;
  Node node;
  node.call.axes_input = TensorView(&axis, Dims{});
  expect_refused(ErrorCode::kAxesRank,
                 "[ReduceMax-18] axes are a scalar: expected a list: rank 1, got rank 0", node);
}

TEST(ResolveError, AxesNotInt64InOnnx) {
  const std::int32_t axis = 1;
  Node node;
  node.call.axes_input = TensorView(&axis, Dims{1});
  expect_refused(ErrorCode::kAxesType,
                 "[ReduceMax-18] axes of the wrong type: expected int64, got int32", node);
}

TEST(ResolveError, AxesNotIntegersInOpenVino) {
  const float axis = 1;
  Node node{.dialect = Dialect::kOpenVino, .version = 1};
  node.call.axes_input = TensorView(&axis, Dims{1});
  expect_refused(ErrorCode::kAxesType,
                 "[ReduceMax-1] axes are not integers: expected an integer type, got float32",
                 node);
}

TEST(ResolveError, AxesWithoutData) {
  Node node;
  node.call.axes_input = TensorView(nullptr, DType::kI64, Dims{2});
  expect_refused(ErrorCode::kNullData,
                 "[ReduceMax-18] axes without data: expected 2 integers, got a null pointer", node);
}

TEST(ResolveError, NoopBeforeItsVersion) {
  Node node{.version = 13};
  node.call.noop_with_empty_axes = 1;
  expect_refused(ErrorCode::kAttributeUnknown,
                 "[ReduceMax-13] no attribute noop_with_empty_axes: expected opset 18 or later for "
                 "it, got noop_with_empty_axes = 1",
                 node);
  node.name = "ReduceSum";
  node.version = 11;
  node.call.noop_with_empty_axes = 0;
  expect_refused(ErrorCode::kAttributeUnknown,
                 "[ReduceSum-11] no attribute noop_with_empty_axes: expected opset 13 or later for "
                 "it, got noop_with_empty_axes = 0",
                 node);
}

TEST(ResolveError, NoopWhereItNeverWas) {
  const Axes axes = {1};
  Node node{.dialect = Dialect::kOpenVino, .version = 1};
  node.call.axes_input = input_of(axes);
  node.call.noop_with_empty_axes = 1;
  expect_refused(ErrorCode::kAttributeUnknown,
                 "[ReduceMax-1] no attribute noop_with_empty_axes: expected this operator without "
                 "it, got noop_with_empty_axes = 1",
                 node);
}

TEST(ResolveError, AxesAsInputTooEarly) {
  const Axes axes = {1};
  Node node{.name = "ReduceMean", .version = 13};
  node.call.axes_input = input_of(axes);
  expect_refused(
      ErrorCode::kAxesPlace,
      "[ReduceMean-13] axes given as an input: expected the attribute axes (an input from "
      "opset 18 on), got a second input",
      node);
}

TEST(ResolveError, AxesAsAttributeTooLate) {
  Node node{.name = "ReduceSum", .version = 13};
  node.call.axes_attribute = Axes{1};
  expect_refused(ErrorCode::kAxesPlace,
                 "[ReduceSum-13] axes given as an attribute: expected a second input (an attribute "
                 "before opset 13), got axes = [1]",
                 node);
  node.name = "ReduceMax";
  node.version = 20;
  expect_refused(ErrorCode::kAxesPlace,
                 "[ReduceMax-20] axes given as an attribute: expected a second input (an attribute "
                 "before opset 18), got axes = [1]",
                 node);
}

TEST(ResolveError, OpenVinoWantsAxes) {
  Node node{.dialect = Dialect::kOpenVino, .version = 1};
  expect_refused(ErrorCode::kAxesPlace,
                 "[ReduceMax-1] axes missing: expected a second input with the axes, got none",
                 node);
  node.call.axes_attribute = Axes{1};
  expect_refused(
      ErrorCode::kAxesPlace,
      "[ReduceMax-1] axes given as an attribute: expected a second input, got axes = [1]", node);
}

TEST(ResolveError, Keepdims2) {
  Node node;
  node.call.keepdims = 2;
  expect_refused(ErrorCode::kAttributeValue,
                 "[ReduceMax-18] bad value of keepdims: expected 0 or 1, got 2", node);
  const Axes axes = {1};
  node.dialect = Dialect::kOpenVino;
  node.version = 1;
  node.call.axes_input = input_of(axes);
  node.call.keepdims = -1;
  expect_refused(ErrorCode::kAttributeValue,
                 "[ReduceMax-1] bad value of keep_dims: expected 0 or 1, got -1", node);
}

TEST(ResolveError, Noop2) {
  Node node;
  node.call.noop_with_empty_axes = 2;
  expect_refused(ErrorCode::kAttributeValue,
                 "[ReduceMax-18] bad value of noop_with_empty_axes: expected 0 or 1, got 2", node);
}

TEST(ResolveArgError, AxisTooHigh) {
  Node node = arg_node();
  node.call.axes_attribute = Axes{2};
  expect_refused(ErrorCode::kAxisOutOfRange,
                 "[ArgMax-13] axis out of range, past the last: expected -2 .. 1 (rank 2), got 2",
                 node);
}

TEST(ResolveArgError, AxisTooLow) {
  Node node = arg_node("ArgMin", 1);
  node.call.axes_attribute = Axes{-3};
  expect_refused(
      ErrorCode::kAxisOutOfRange,
      "[ArgMin-1] axis out of range, before the first: expected -2 .. 1 (rank 2), got -3", node);
}

TEST(ResolveArgError, NoElementAlongTheAxis) {
  Node node = arg_node();
  node.shape = Dims{2, 0};
  node.call.axes_attribute = Axes{1};
  expect_refused(
      ErrorCode::kEmptyAxis,
      "[ArgMax-13] no element to point at: expected at least one element along axis 1, got "
      "shape (2, 0)",
      node);
}

TEST(ResolveArgError, SelectLastBeforeItsVersion) {
  Node node = arg_node("ArgMax", 11);
  node.call.select_last_index = 1;
  expect_refused(
      ErrorCode::kAttributeUnknown,
      "[ArgMax-11] no attribute select_last_index: expected opset 12 or later for it, got "
      "select_last_index = 1",
      node);
}

TEST(ResolveArgError, SelectLastOfAReduction) {
  Node node;
  node.call.select_last_index = 0;
  expect_refused(
      ErrorCode::kAttributeUnknown,
      "[ReduceMax-18] no attribute select_last_index: expected this operator without it, "
      "got select_last_index = 0",
      node);
}

TEST(ResolveArgError, Type) {
  Node node = arg_node();
  node.dtype = DType::kBool;
  expect_refused(
      ErrorCode::kTypeNotAllowed,
      "[ArgMax-13] element type not allowed: expected float64, float32, float16, bfloat16, "
      "int8, int16, int32, int64, uint8, uint16, uint32, uint64, got bool",
      node);
}

TEST(ResolveArgError, RankZero) {
  Node node = arg_node();
  node.shape = Dims{};
  expect_refused(ErrorCode::kRankZero,
                 "[ArgMax-13] a scalar has no axis to search: expected rank 1 or more, got rank 0",
                 node);
  node.call.axes_attribute = Axes{0};
  expect_refused(ErrorCode::kRankZero,
                 "[ArgMax-13] a scalar has no axis to search: expected rank 1 or more, got rank 0",
                 node);
}

TEST(ResolveArgError, NotOneAxis) {
  Node node = arg_node();
  node.call.axes_attribute = Axes{0, 1};
  expect_refused(ErrorCode::kAttributeValue,
                 "[ArgMax-13] axis is not one integer: expected one integer, got [0, 1]", node);
}

TEST(ResolveArgError, AxisAsInput) {
  const Axes axes = {1};
  Node node = arg_node();
  node.call.axes_input = input_of(axes);
  expect_refused(
      ErrorCode::kAxesPlace,
      "[ArgMax-13] axis given as an input: expected the attribute axis, got a second input", node);
}

TEST(ResolveArgError, NumpyWithoutAxis) {
  Node node{.dialect = Dialect::kNumpy, .name = "argmax", .version = 0};
  expect_refused(
      ErrorCode::kUnsupportedFeature,
      "[argmax] no axis given: expected an axis, or data reshaped to one axis (NumPy would "
      "flatten it), got rank 2",
      node);
}

TEST(ResolveError, NumpyAxesAsInput) {
  const Axes axes = {1};
  Node node{.dialect = Dialect::kNumpy, .name = "max", .version = 0};
  node.call.axes_input = input_of(axes);
  expect_refused(ErrorCode::kAxesPlace,
                 "[max] axes given as an input: expected the argument axes, got a second input",
                 node);
}

}  // namespace
}  // namespace tenfold
