#include "render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace tenfold::cli {
namespace {

constexpr std::int64_t kMostShown = 1000;  // elements; beyond it only the edges are shown
constexpr std::int64_t kEdge = 3;
constexpr std::size_t kLineWidth = 78;

// The decimal with the fewest digits that rounds to `value` in its own type, as a double.
template <class T>
double shortest_decimal(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    return std::strtod(fmt::format("{}", value).c_str(), nullptr);
  } else {  // the 16-bit types: 5 digits are always enough
    const double exact = static_cast<float>(value);
    for (int digits = 1; digits < 6; ++digits) {
      const double decimal =
          std::strtod(fmt::format("{:.{}e}", exact, digits - 1).c_str(), nullptr);
      if (T(decimal).bits == value.bits) return decimal;
    }
    return exact;
  }
}

template <class T>
std::string element_text(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<bool>(value) ? "True" : "False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (is_complex_type<T>) {
    const std::string imaginary = element_text(value.imag());
    const bool has_sign = std::signbit(value.imag()) && !std::isnan(value.imag());
    return element_text(value.real()) + (has_sign ? "" : "+") + imaginary + "j";
  } else {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(value)) return "nan";
    } else {
      if (std::isnan(static_cast<float>(value))) return "nan";
    }
    std::string text = fmt::format("{}", shortest_decimal(value));
    if (text.find_first_of(".ein") == std::string::npos) text += ".0";
    return text;
  }
}

template <class T>
Json element_json(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<bool>(value);
  } else if constexpr (is_complex_type<T>) {
    return Json::array({element_json(value.real()), element_json(value.imag())});
  } else if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    double wide;
    if constexpr (std::is_same_v<T, double>) {
      wide = value;
    } else {
      wide = static_cast<float>(value);
    }
    if (!std::isfinite(wide)) return element_text(value);
    return shortest_decimal(value);
  }
}

// One line of brackets at a time, like NumPy: every element as wide as the widest shown.
class TextWriter {
 public:
  explicit TextWriter(const Tensor& tensor)
      : tensor_(tensor),
        shape_(tensor.shape()),
        strides_(contiguous_strides(shape_)),
        shortened_(tensor.size() > kMostShown) {}

  std::string write() {
    measure(0, 0);
    level(0, 0);
    return std::move(out_);
  }

 private:
  std::string text_at(std::int64_t offset) const {
    return visit_dtype(tensor_.dtype(), [&]<class T>() {
      return element_text(static_cast<const T*>(tensor_.data())[offset]);
    });
  }

  // Calls f(i) for the shown indices of the axis and gap() where some are left out.
  template <class F, class G>
  void for_shown(int axis, F&& f, G&& gap) const {
    const std::int64_t n = shape_[axis];
    const bool cut = shortened_ && n > 2 * kEdge;
    for (std::int64_t i = 0; i < n; ++i) {
      if (cut && i == kEdge) {
        gap();
        i = n - kEdge;
      }
      f(i);
    }
  }

  void measure(int axis, std::int64_t offset) {
    if (axis == shape_.size()) {
      width_ = std::max(width_, text_at(offset).size());
      return;
    }
    for_shown(
        axis, [&](std::int64_t i) { measure(axis + 1, offset + i * strides_[axis]); }, [] {});
  }

  void level(int axis, std::int64_t offset) {
    if (axis == shape_.size()) {
      out_ += text_at(offset);
    } else if (axis + 1 == shape_.size()) {
      row(axis, offset);
    } else {
      out_ += '[';
      bool first = true;
      const auto separate = [&] {
        if (!first) out_ += '\n' + std::string(static_cast<std::size_t>(axis) + 1, ' ');
        first = false;
      };
      for_shown(
          axis,
          [&](std::int64_t i) {
            separate();
            level(axis + 1, offset + i * strides_[axis]);
          },
          [&] {
            separate();
            out_ += "...";
          });
      out_ += ']';
    }
  }

  void row(int axis, std::int64_t offset) {
    const std::size_t indent = static_cast<std::size_t>(axis) + 1;
    std::size_t column = indent;
    bool first = true;
    const auto put = [&](std::string text) {
      if (!first) {
        if (column + 1 + text.size() >= kLineWidth) {
          out_ += '\n' + std::string(indent, ' ');
          column = indent;
        } else {
          out_ += ' ';
          ++column;
        }
      }
      first = false;
      column += text.size();
      out_ += text;
    };
    out_ += '[';
    for_shown(
        axis, [&](std::int64_t i) { put(fmt::format("{:>{}}", text_at(offset + i), width_)); },
        [&] { put("..."); });
    out_ += ']';
  }

  const Tensor& tensor_;
  Dims shape_, strides_;
  bool shortened_;
  std::size_t width_ = 0;
  std::string out_;
};

Json nested(const Tensor& tensor, int axis, std::int64_t& next) {
  if (axis == tensor.shape().size()) {
    return visit_dtype(tensor.dtype(), [&]<class T>() {
      return element_json(static_cast<const T*>(tensor.data())[next++]);
    });
  }
  Json list = Json::array();
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    list.push_back(nested(tensor, axis + 1, next));
  }
  return list;
}

void dump_to(std::string& out, const Json& value, std::size_t indent) {
  const bool flat = value.is_primitive() || value.empty() ||
                    (value.is_array() &&
                     std::ranges::all_of(value, [](const Json& v) { return !v.is_object(); }));
  if (flat) {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const std::string margin(indent + 2, ' ');
  out += value.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += margin;
    if (value.is_object())
      out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    dump_to(out, item, indent + 2);
  }
  out += '\n' + std::string(indent, ' ') + (value.is_array() ? "]" : "}");
}

}  // namespace

std::string to_text(const Tensor& tensor) {
  if (tensor.size() == 0) return "[]";
  return TextWriter(tensor).write();
}

Json to_json(const Tensor& tensor) {
  Json object;
  object["dtype"] = numpy_name_of(tensor.dtype());
  object["shape"] = to_json(tensor.shape());
  std::int64_t next = 0;
  object["data"] = tensor.size() == 0 ? Json::array() : nested(tensor, 0, next);
  return object;
}

Json to_json(const Dims& shape) {
  Json list = Json::array();
  for (std::int64_t extent : shape) list.push_back(extent);
  return list;
}

std::string describe(const TensorView& tensor) {
  return fmt::format("{} {}", numpy_name_of(tensor.dtype), to_string(tensor.shape));
}

std::string dump(const Json& value) {
  std::string out;
  dump_to(out, value, 0);
  out += '\n';
  return out;
}

}  // namespace tenfold::cli
