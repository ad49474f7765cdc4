// The tensors of a network while it is contracted: which labels each has, who still has a label.
// The common ground of everything about orders: costs, and the searches that contract as they go.
// Included by the path_*.cpp files.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "einsum/path.hpp"

namespace tenfold::einsum_detail {

// A number >= 0 of any magnitude: value * 2^(256 power), with value 0 or in [1, 2^256). Products of
// extents leave the range of double in networks of some hundred labels; a product of two values
// never does.
struct Wide {
  double value = 0;
  std::int64_t power = 0;

  static constexpr double kBase = 0x1p256, kInverse = 0x1p-256;

  constexpr Wide() = default;
  constexpr explicit Wide(double number) : value(number) {}  // 0 or in [1, 2^256)
  constexpr Wide(double v, std::int64_t p) : value(v), power(p) {
    if (value >= kBase) {
      value *= kInverse;
      ++power;
    }
  }

  friend Wide operator*(const Wide& a, const Wide& b) {
    return {a.value * b.value, a.power + b.power};
  }
  friend Wide operator+(const Wide& a, const Wide& b) {
    if (b.value == 0) return a;
    if (a.value == 0) return b;
    if (a.power == b.power) return {a.value + b.value, a.power};
    const Wide& large = a.power > b.power ? a : b;
    const Wide& small = a.power > b.power ? b : a;
    const double shift = large.power - small.power == 1 ? kInverse : 0;
    return {large.value + small.value * shift, large.power};
  }
  friend bool operator<(const Wide& a, const Wide& b) {
    if (a.value == 0 || b.value == 0 || a.power == b.power) return a.value < b.value;
    return a.power < b.power;
  }
  // Of a number that is not 0.
  friend Wide inverse(const Wide& a) { return {kBase / a.value, -a.power - 1}; }

  double log2() const { return std::log2(value) + 256.0 * static_cast<double>(power); }
  // Not above kHuge, so that sums and products of two stay finite or become +inf, never NaN.
  static constexpr double kHuge = 0x1p768;
  double clamped() const { return power == 0 ? value : power <= 2 ? scaled() : kHuge; }

 private:
  double scaled() const { return std::ldexp(value, static_cast<int>(256 * power)); }
};

// What a step costs: multiplications, and elements of its result.
struct StepSize {
  Wide terms, result;
};

class Tensors {
 public:
  struct Options {
    double least_extent = 1;   // smaller extents count as this one
    bool drop_common = false;  // leave out labels that all operands have
  };

  // Leaves out labels of extent 1 and those that one operand alone has (they are summed first).
  Tensors(const Network& network, Options options);

  int count() const { return static_cast<int>(sizes_.size()); }  // operands and results so far
  const Wide& size(int tensor) const { return sizes_[at(tensor)]; }
  std::span<const int> labels(int tensor) const {
    return {labels_.data() + first_label_[at(tensor)],
            labels_.data() + first_label_[at(tensor) + 1]};
  }
  // The tensors that have the label and are not contracted yet, oldest first.
  std::span<const int> holders(int label) const {
    return {holders_.data() + first_holder_[at(label)],
            static_cast<std::size_t>(holder_count_[at(label)])};
  }
  bool holds(int tensor, int label) const {
    const std::span<const int> all = holders(label);
    return std::binary_search(all.begin(), all.end(), tensor);
  }
  bool in_output(int label) const { return in_output_[at(label)] != 0; }
  double extent(int label) const { return extents_[at(label)]; }

  // Replaces two tensors by their product, number count() - 1 from now on; returns its cost.
  StepSize contract(int left, int right);

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void drop_holder(int label, int tensor);
  Wide add_label(int label, int tensor);  // returns its extent
  void end_tensor(const Wide& size);

  // By label; last_left_: the newest result whose left tensor had it.
  std::vector<double> extents_;
  std::vector<char> in_output_;
  std::vector<int> last_left_, first_holder_, holder_count_;
  std::vector<int> holders_;
  std::vector<int> labels_;       // of all tensors, one after another
  std::vector<int> first_label_;  // by tensor, and the end
  std::vector<Wide> sizes_;       // by tensor
};

// The costs of the steps of a full tree. Searches count a label of extent 0 as one of 1: the order
// is of no matter then, and they may divide.
std::vector<StepSize> measure(const Network& network, std::span<const PathStep> steps,
                              double least_extent = 0);
// Of an intermediate; at most 2^63, so that sums are safe.
double bytes_of(const Wide& elements, std::int64_t element_bytes);
// Most bytes that a step needs beside those alive before it: its operands of the network, which are
// prepared one after the other, the left one first, and `made`: its result, and what is spread.
double rise_of(const Network& network, PathStep step, double made);
// Bytes that step `i` of complex numbers spreads.
double spread_of(const Network& network, std::span<const PathStep> steps,
                 std::span<const StepSize> sizes, std::size_t i);
// Most bytes alive at a time when the steps run as they stand: intermediates, prepared operands.
std::int64_t peak_of(const Network& network, std::span<const PathStep> steps,
                     std::span<const StepSize> sizes, std::int64_t element_bytes);
PathCost total_of(const Network& network, std::span<const PathStep> steps,
                  std::span<const StepSize> sizes, std::int64_t element_bytes);

}  // namespace tenfold::einsum_detail
