// Brings strided blocks of an operand into dense memory in the type of the computation, and back:
// for blocks so small that nothing cleverer pays. Called by contraction kernels.
#pragma once

#include <cstddef>
#include <vector>

#include "einsum/axis_list.hpp"

namespace tenfold::einsum_detail {

// Converts `count` dense elements.
using DenseConvertFn = void (*)(const void* from, std::int64_t count, void* to);

// A matrix whose rows and columns are lists of axes, as runs along the last of them.
class Gather {
 public:
  // No rows, no columns.
  Gather() = default;
  // `stride` says which of the axes' strides are the operand's.
  Gather(const AxisList& rows, const AxisList& columns, std::int64_t PairAxis::*stride, DType type,
         DType dense_type);

  // Elements of the matrix.
  std::int64_t count() const { return static_cast<std::int64_t>(starts_.size()) * length_; }
  // dense[matrix, row, column] = element, for `matrices` of them that lie `step` bytes apart.
  // `typed` has room for as many elements of the operand's type.
  void load(const std::byte* from, std::int64_t step, std::int64_t matrices, std::byte* dense,
            std::byte* typed) const;
  // The other way round.
  void store(const std::byte* dense, std::byte* to, std::int64_t step, std::int64_t matrices,
             std::byte* typed) const;

 private:
  std::vector<std::int64_t> starts_;  // of the runs, in bytes
  std::int64_t length_ = 0, stride_ = 0;
  std::size_t size_ = 0;
  DenseConvertFn to_dense_ = nullptr, from_dense_ = nullptr;  // nullptr: the types are the same
};

}  // namespace tenfold::einsum_detail
