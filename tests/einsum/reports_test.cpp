// The problems of tests/data/einsum_reports.jsonl, from the equation to the value or the error.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/einsum.hpp"
#include "support/layout.hpp"
#include "support/report_cases.hpp"

namespace tenfold::testing {
namespace {

using nlohmann::json;

EinsumSpec spec_of(const json& c) {
  const DialectVersion dialect = parse_dialect(c.at("dialect").get<std::string>());
  return {.equation = c.at("equation").get<std::string>(),
          .dialect = dialect.dialect,
          .version = dialect.version};
}

// Operands in memory as the case says; a first axis of stride 1 means column-major.
std::vector<LaidOut> memory_of(const json& c) {
  std::vector<LaidOut> memory;
  for (const json& input : c.at("inputs")) {
    const Tensor dense = tensor_of(input);
    Layout layout;
    if (input.contains("strides"))
      for (int axis = dense.shape().size() - 1; axis >= 0; --axis)
        layout.memory_order.push_back(axis);
    memory.emplace_back(dense, layout);
    if (input.contains("strides")) {
      EXPECT_EQ(to_string(memory.back().view().strides), to_string(dims_of(input["strides"])));
    }
  }
  return memory;
}

std::vector<TensorView> views_of(const std::vector<LaidOut>& memory) {
  std::vector<TensorView> views;
  for (const LaidOut& laid : memory) views.push_back(laid.view());
  return views;
}

void expect_error(const json& c) {
  const auto memory = memory_of(c);
  try {
    einsum(spec_of(c), views_of(memory));
    FAIL() << "no error";
  } catch (const Error& e) {
    const auto code = c.at("code").get<std::string>();
    EXPECT_EQ(name_of(e.code()), code) << e.what();
    EXPECT_FALSE(e.where().empty()) << e.what();
    EXPECT_FALSE(e.expected().empty()) << e.what();
    if (!code.starts_with("equation-")) {
      EXPECT_FALSE(e.got().empty()) << e.what();
      return;
    }
    // What was got is drawn.
    ASSERT_NE(e.place(), nullptr) << e.what();
    EXPECT_EQ(e.place()->equation, c.at("equation").get<std::string>());
    ASSERT_FALSE(e.place()->marks.empty());
    EXPECT_NE(std::string_view(e.what()).find('^'), std::string_view::npos) << e.what();
  }
}

class EinsumReports : public ::testing::TestWithParam<ReportCase> {};

TEST_P(EinsumReports, GiveTheExpectedValue) {
  const json& c = GetParam().text;
  SCOPED_TRACE(GetParam().note());
  if (GetParam().expects_error()) return expect_error(c);
  const Tensor expected = tensor_of(c["expected"]);
  const double tolerance = c.value("tolerance", 0.0);
  const auto memory = memory_of(c);
  expect_values(einsum(spec_of(c), views_of(memory)), expected, tolerance);
  // Elsewhere in memory: the axes in the opposite order, a gap, a start off the alignment.
  std::vector<LaidOut> turned;
  for (const LaidOut& laid : memory) {
    Layout layout{.offset = 1};
    for (int axis = laid.view().rank() - 1; axis >= 0; --axis) layout.memory_order.push_back(axis);
    turned.emplace_back(laid.view(), layout);
  }
  expect_values(einsum(spec_of(c), views_of(turned)), expected, tolerance);
}

INSTANTIATE_TEST_SUITE_P(PublicReports, EinsumReports,
                         ::testing::ValuesIn(load_report_cases(TENFOLD_EINSUM_REPORTS)),
                         [](const auto& p) { return p.param.name(); });

// One after the other, so that a plan of an earlier case could be taken for a later one.
TEST(EinsumReportsFile, HoldsAllCasesAndTheyDoNotDisturbEachOther) {
  const std::vector<ReportCase> cases = load_report_cases(TENFOLD_EINSUM_REPORTS);
  EXPECT_EQ(cases.size(), 59u);
  for (int round = 0; round < 2; ++round)
    for (const ReportCase& report : cases) {
      SCOPED_TRACE(report.id());
      if (report.expects_error()) continue;
      const auto memory = memory_of(report.text);
      expect_values(einsum(spec_of(report.text), views_of(memory)),
                    tensor_of(report.text["expected"]), report.text.value("tolerance", 0.0));
    }
}

}  // namespace
}  // namespace tenfold::testing
