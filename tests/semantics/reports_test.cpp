// The problems of tests/data/reports.jsonl, from the operator's name to the value.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/layout.hpp"
#include "support/report_cases.hpp"
#include "tenfold/standards.hpp"

namespace tenfold::testing {
namespace {

using nlohmann::json;

// What a node of the case says. `axes` keeps the axes alive that the call points at.
ReduceCall call_of(const json& c, const OperatorRow& row, std::vector<std::int64_t>& axes) {
  ReduceCall call;
  const json attrs = c.value("attrs", json::object());
  for (const auto& [name, value] : attrs.items()) {
    const auto number = value.get<std::int64_t>();
    if (name == "keepdims" || name == "keep_dims")
      call.keepdims = number;
    else if (name == "noop_with_empty_axes")
      call.noop_with_empty_axes = number;
    else if (name == "select_last_index")
      call.select_last_index = number;
    else
      ADD_FAILURE() << "unknown attribute " << name;
  }
  if (c.at("axes").is_null()) return call;
  axes = c["axes"].get<std::vector<std::int64_t>>();
  const std::string as = c.value("axes_as", "");
  const bool row_wants_input =
      row.axes_form == AxesForm::kOptionalInput || row.axes_form == AxesForm::kRequiredInput;
  const bool input = as == "attr" ? false : !as.empty() || row_wants_input;
  if (!input)
    call.axes_attribute = axes;
  else
    call.axes_input = TensorView(
        axes.data(), as == "scalar" ? Dims{} : Dims{static_cast<std::int64_t>(axes.size())});
  return call;
}

// The elements of `dense` in memory with these strides, where several may share a place.
std::vector<char> with_strides(const Tensor& dense, const Dims& strides, TensorView& view) {
  std::int64_t last = 0;
  for (int axis = 0; axis < strides.size(); ++axis)
    last += (dense.shape()[axis] - 1) * strides[axis];
  const auto size = static_cast<std::int64_t>(size_of(dense.dtype()));
  std::vector<char> memory(static_cast<std::size_t>((last + 1) * size));
  view = TensorView(memory.data(), dense.dtype(), dense.shape(), strides);
  for (std::int64_t i = 0; i < dense.size(); ++i) {
    std::int64_t rest = i, offset = 0;
    for (int axis = strides.size() - 1; axis >= 0; --axis) {
      offset += rest % dense.shape()[axis] * strides[axis];
      rest /= dense.shape()[axis];
    }
    std::memcpy(memory.data() + offset * size, static_cast<const char*>(dense.data()) + i * size,
                static_cast<std::size_t>(size));
  }
  return memory;
}

Tensor run_case(const json& c, const TensorView& view) {
  const DialectVersion dialect = parse_dialect(c.at("dialect").get<std::string>());
  const OperatorRow& row =
      find_operator(dialect.dialect, c.at("op").get<std::string>(), dialect.version);
  std::vector<std::int64_t> axes;
  const ReduceCall call = call_of(c, row, axes);
  return reduce(view, resolve(row, call, view));
}

class Reports : public ::testing::TestWithParam<ReportCase> {};

TEST_P(Reports, GiveTheExpectedValue) {
  const json& c = GetParam().text;
  SCOPED_TRACE(GetParam().note());
  const Tensor dense = tensor_of(c.at("input"));
  TensorView view = dense;
  std::vector<char> memory;
  if (c["input"].contains("strides"))
    memory = with_strides(dense, dims_of(c["input"]["strides"]), view);
  if (GetParam().expects_error()) {
    try {
      run_case(c, view);
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_FALSE(e.where().empty()) << e.what();
      EXPECT_FALSE(e.expected().empty()) << e.what();
      EXPECT_FALSE(e.got().empty()) << e.what();
    }
    return;
  }
  const Tensor expected = tensor_of(c["expected"]);
  const double tolerance = c.value("tolerance", 0.0);
  expect_values(run_case(c, view), expected, tolerance);
  // Elsewhere in memory: the axes in the opposite order, a gap, a start off the alignment.
  Dims backwards;
  for (int axis = view.rank() - 1; axis >= 0; --axis) backwards.push_back(axis);
  const LaidOut turned(dense, {.memory_order = backwards, .offset = 1});
  expect_values(run_case(c, turned.view()), expected, tolerance);
}

INSTANTIATE_TEST_SUITE_P(PublicReports, Reports,
                         ::testing::ValuesIn(load_report_cases(TENFOLD_REPORTS)),
                         [](const auto& p) { return p.param.name(); });

TEST(ReportsFile, HoldsAllCases) { EXPECT_EQ(load_report_cases(TENFOLD_REPORTS).size(), 127u); }

}  // namespace
}  // namespace tenfold::testing
