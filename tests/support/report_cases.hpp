// The problems of tests/data, one JSON object a line: how they are read, their tensors, and the
// comparison with the expected values. Called by the two tests that run them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/convert.hpp"
#include "support/check.hpp"
#include "tenfold/error.hpp"

namespace tenfold::testing {

struct ReportCase {
  nlohmann::json text;

  std::string id() const { return text.at("id").get<std::string>(); }
  // Fit for the name of a test.
  std::string name() const {
    std::string name = id();
    for (char& c : name)
      if (c == '-') c = '_';
    return name;
  }
  // For a trace: what it is about and where it was reported.
  std::string note() const {
    return text.at("note").get<std::string>() + " (" + text.at("report").get<std::string>() + ")";
  }
  bool expects_error() const { return text.at("expected") == "error"; }
};
inline std::ostream& operator<<(std::ostream& out, const ReportCase& report) {
  return out << report.id();
}

inline std::vector<ReportCase> load_report_cases(const char* path) {
  std::ifstream file(path);
  std::vector<ReportCase> cases;
  for (std::string line; std::getline(file, line);) cases.push_back({nlohmann::json::parse(line)});
  return cases;
}

inline Dims dims_of(const nlohmann::json& list) {
  Dims dims;
  for (const nlohmann::json& v : list) dims.push_back(v.get<std::int64_t>());
  return dims;
}

template <class T>
T element_of(const nlohmann::json& v) {
  if constexpr (std::is_same_v<T, Bool>) {
    return Bool(v.get<bool>());
  } else if constexpr (is_float(dtype_of<T>)) {
    if (v == "nan") return T(std::numeric_limits<double>::quiet_NaN());
    if (v == "inf") return T(std::numeric_limits<double>::infinity());
    if (v == "-inf") return T(-std::numeric_limits<double>::infinity());
    return T(v.get<double>());
  } else {
    return v.get<T>();
  }
}

// {"dtype", "shape", "data" or "fill"}, dense.
inline Tensor tensor_of(const nlohmann::json& spec) {
  Tensor tensor(*parse_dtype(spec.at("dtype").get<std::string>()), dims_of(spec.at("shape")));
  visit_real_dtype(tensor.dtype(), [&]<class T>() {
    std::size_t i = 0;
    for (T& x : tensor.values<T>())
      x = element_of<T>(spec.contains("fill") ? spec["fill"] : spec["data"].at(i++));
  });
  return tensor;
}

inline void expect_values(const Tensor& got, const Tensor& expected, double tolerance) {
  ASSERT_EQ(name_of(got.dtype()), name_of(expected.dtype()));
  ASSERT_EQ(to_string(got.shape()), to_string(expected.shape()));
  visit_real_dtype(got.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(got.size()); ++i) {
      const T &a = got.values<T>()[i], &b = expected.values<T>()[i];
      bool equal = std::memcmp(&a, &b, sizeof(T)) == 0;
      if constexpr (is_float(dtype_of<T>)) {
        const auto x = convert_element<double>(a), y = convert_element<double>(b);
        equal |= x == y || (std::isnan(x) && std::isnan(y)) ||
                 std::fabs(x - y) <= tolerance * std::fabs(y);
      }
      EXPECT_TRUE(equal) << "[" << i << "] " << element_text(got.dtype(), &a) << ", expected "
                         << element_text(got.dtype(), &b);
    }
  });
}

}  // namespace tenfold::testing
