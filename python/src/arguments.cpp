// The arguments of a call beside its arrays: axes, numbers, names, threads.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "arrays.hpp"
#include "tenfold/error.hpp"

namespace tenfold::python {
namespace {

std::atomic<int> thread_limit{0};
constexpr int kForked = -1;  // a limit that stays: the workers are the parent's

}  // namespace

std::optional<Dims> axes_of(nb::handle axes, const char* who) {
  if (axes.is_none()) return std::nullopt;
  const auto integer = [&](PyObject* o) {
    if (PyBool_Check(o) || !PyIndex_Check(o))
      throw nb::type_error(fmt::format("{}: axes must be integers", who).c_str());
    // What is beyond 64 bits becomes their least or greatest number: out of range all the same.
    const Py_ssize_t value = PyNumber_AsSsize_t(o, nullptr);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return static_cast<std::int64_t>(value);
  };
  Dims list;
  bool is_one = PyLong_Check(axes.ptr());
  if (!is_one && PyObject_Length(axes.ptr()) < 0) {  // an array of rank 0 has a __len__ that raises
    PyErr_Clear();
    is_one = !PyIter_Check(axes.ptr());
  }
  if (is_one) {
    list.push_back(integer(axes.ptr()));
    return list;
  }
  std::vector<std::int64_t> values;
  for (nb::handle axis : nb::iter(axes)) values.push_back(integer(axis.ptr()));
  return Dims(std::span<const std::int64_t>(values));
}

std::int64_t whole_number_of(nb::handle value, const char* who, const char* what) {
  int overflow = 0;
  long long number = -1;
  if (const nb::object index = nb::steal(PyNumber_Index(value.ptr())); index.is_valid())
    number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw Error(ErrorCode::kBadArgument, who, fmt::format("{}= is wrong", what), "a whole number",
                nb::cast<std::string>(nb::repr(value)));
  }
  using Limits = std::numeric_limits<std::int64_t>;
  if (overflow != 0) return overflow > 0 ? Limits::max() : Limits::min();
  return number;
}

std::string text_argument(nb::handle value, const char* who, const char* what) {
  std::string text;
  if (!nb::try_cast(value, text))
    throw Error(ErrorCode::kBadArgument, who, fmt::format("{}= is wrong", what), "a name",
                nb::cast<std::string>(nb::repr(value)));
  return text;
}

RunOptions run_options(nb::handle threads, const char* who) {
  const std::int64_t count = whole_number_of(threads, who, "threads");
  if (count < 0)
    throw Error(ErrorCode::kBadArgument, "threads", "a negative number of threads",
                "0 (as many as pay) or more", std::to_string(count));
  RunOptions options = run_options();
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (count > 0 && thread_limit.load(std::memory_order_relaxed) != kForked)
    options.threads = static_cast<int>(std::min(count, kMost));
  return options;
}
RunOptions run_options() {
  const int limit = thread_limit.load(std::memory_order_relaxed);
  return {.threads = limit == kForked ? 1 : limit};
}
void set_num_threads(int threads) {
  if (thread_limit.load(std::memory_order_relaxed) != kForked)
    thread_limit.store(threads, std::memory_order_relaxed);
}
int num_threads() {
  const int limit = thread_limit.load(std::memory_order_relaxed);
  if (limit == kForked) return 1;
  const int all = default_executor().concurrency();
  return limit > 0 && limit < all ? limit : all;
}

}  // namespace tenfold::python
