// The same elements elsewhere in memory: other order of axes, gaps between elements, steps
// backwards, a start off the alignment. What lies between holds bytes that spoil any result that
// reads them. Called by the equal-bits tests and wherever strides matter.
#pragma once

#include <vector>

#include "tenfold/tensor.hpp"

namespace tenfold::testing {

struct Layout {
  // Axes from the outermost to the innermost in memory; empty: as they are.
  Dims memory_order = {};
  // Elements from one index to the next beyond what is needed, per axis of the tensor; empty: 0.
  Dims gaps = {};
  // Axes that run backwards, one bit each.
  unsigned backwards = 0;
  // Elements before the first, from a start aligned to 64 bytes.
  std::int64_t offset = 0;
};

// The view's elements, copied into memory of that layout.
class LaidOut {
 public:
  LaidOut(const TensorView& source, const Layout& layout);
  const TensorView& view() const { return view_; }

 private:
  Tensor memory_;
  TensorView view_;
};

// Room of that layout for a result, with a margin on both sides. What lies between and around its
// elements must stay as it is.
class OutputSpace {
 public:
  OutputSpace(DType dtype, const Dims& shape, const Layout& layout);
  const MutableTensorView& view() const { return view_; }
  // No byte outside the view's elements has changed.
  bool is_clean() const;

 private:
  Tensor memory_;
  MutableTensorView view_;
};

}  // namespace tenfold::testing
