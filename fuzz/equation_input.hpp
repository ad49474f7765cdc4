// Bytes as an equation with shapes. Included by the fuzz target of equations and by the test of its
// seeds; make_equation_corpus.py writes this format.
//
//   byte 0   bits 0-1: dialect; 4: interleaved form; 8: shapes that fit
//   byte 1   operands, or for shapes that fit what the extents are made from
//   shapes   unless they are to fit: for each operand a byte for the rank, then one for each extent
//   rest     the text; or a byte for each label of the interleaved form
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenfold/einsum.hpp"

namespace tenfold::fuzz {

struct EquationInput {
  EinsumSpec spec;
  std::vector<Dims> shapes;
};

class EquationReader {
 public:
  EquationReader(const std::uint8_t* data, std::size_t size) : rest_(data, size) {
    // One input of some hundred has its equation many times over: what takes time by the square
    // runs into the fuzzer's time limit. It takes a thousand times as long as the others; by a hash
    // of all bytes, so that few of its offspring are like it.
    std::uint32_t hash = 0;
    for (const std::uint8_t byte : rest_) hash = (hash ^ byte) * 0x9E3779B1u;
    is_to_be_repeated_ = hash >> 23 == 0;
  }

  EquationInput read() {
    constexpr Dialect kDialects[] = {Dialect::kNumpy, Dialect::kOnnx, Dialect::kOpenVino,
                                     Dialect::kNumpy};
    const std::uint8_t form = next();
    seed_ = next();
    input_.spec.dialect = kDialects[form & 3];
    const bool fitting = (form & 8) != 0;
    if (!fitting) read_shapes();
    if (is_to_be_repeated_) repeat();
    if (form & 4)
      read_lists();
    else
      input_.spec.equation.assign(rest_.begin(), rest_.end());
    if (fitting && form & 4)
      fit_lists();
    else if (fitting)
      fit_text();
    return std::move(input_);
  }

 private:
  std::uint8_t next() {
    if (rest_.empty()) return 0;
    const std::uint8_t byte = rest_[0];
    rest_ = rest_.subspan(1);
    return byte;
  }

  void repeat() {
    constexpr std::size_t kMany = 1 << 16;
    while (!rest_.empty() && repeated_.size() < kMany)
      repeated_.insert(repeated_.end(), rest_.begin(), rest_.end());
    rest_ = repeated_;
  }

  void read_shapes() {
    for (int i = seed_ % 8; i > 0; --i) {
      Dims& shape = input_.shapes.emplace_back();
      for (int axis = next() % 5; axis > 0; --axis) {
        const std::uint8_t extent = next();
        shape.push_back(extent == 255 ? -1 : extent == 254 ? std::int64_t{1} << 40 : extent % 5);
      }
    }
  }

  // 255 an ellipsis, 254 the next term, 253 the output, 252 an integer of the next four bytes.
  void read_lists() {
    std::vector<std::vector<int>>& labels = input_.spec.labels.emplace(1);
    std::vector<int>* term = &labels.back();
    while (!rest_.empty()) {
      const std::uint8_t byte = next();
      if (byte == 254 && !input_.spec.output_labels) {
        term = &labels.emplace_back();
      } else if (byte == 253 && !input_.spec.output_labels) {
        term = &input_.spec.output_labels.emplace();
      } else if (byte == 252) {
        std::uint32_t label = 0;
        for (int i = 0; i < 4; ++i) label = label << 8 | next();
        term->push_back(static_cast<int>(label));
      } else {
        term->push_back(byte == 255 ? kEllipsis : byte);
      }
    }
  }

  std::int64_t extent_of(std::uint32_t label) const { return (label * 7 + seed_) % 4; }
  int ellipsis_rank() const { return seed_ % 3; }

  void add_axis(Dims& shape, std::int64_t extent) const {
    if (shape.size() < kMaxRank) shape.push_back(extent);
  }

  void fit_lists() {
    for (const std::vector<int>& term : *input_.spec.labels) {
      Dims& shape = input_.shapes.emplace_back();
      for (const int label : term)
        for (int i = label == kEllipsis ? ellipsis_rank() : 1; i > 0; --i)
          add_axis(shape, extent_of(static_cast<std::uint32_t>(label)));
    }
  }

  // Takes each first byte of a character for a label.
  void fit_text() {
    input_.shapes.emplace_back();
    int dots = 0;
    for (const char c : input_.spec.equation) {
      Dims& shape = input_.shapes.back();
      const auto byte = static_cast<unsigned char>(c);
      if (c == '-') return;
      if (c == ',')
        input_.shapes.emplace_back();
      else if (c == '.')
        for (int i = ++dots % 3 == 0 ? ellipsis_rank() : 0; i > 0; --i) add_axis(shape, 2);
      else if (c != ' ' && (byte & 0xC0) != 0x80)
        add_axis(shape, extent_of(byte));
    }
  }

  std::span<const std::uint8_t> rest_;
  std::vector<std::uint8_t> repeated_;
  EquationInput input_;
  std::uint8_t seed_ = 0;
  bool is_to_be_repeated_ = false;
};

inline EquationInput equation_input(const std::uint8_t* data, std::size_t size) {
  return EquationReader(data, size).read();
}

}  // namespace tenfold::fuzz
