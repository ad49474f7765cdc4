// A benchmark row as Tenfold sees it: the operator, the layout and the memory it runs on.
// Called by the worker and by the micro-benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tenfold/reduce.hpp"

namespace tenfold::bench {

struct Row {
  ReduceSpec spec;
  DType dtype = DType::kF32;
  Dims shape;  // of the memory
  Dims perm;   // empty: the view is the memory

  // The input that the row means, over `data`.
  TensorView view(const void* data) const;
};

// "ReduceSum dt=f32 shape=512x512 axes=0 keepdims=0 [perm=1,0]"; throws Error(kBadArgument).
Row parse_row(const std::string& text);

// Memory 16 bytes past a page, where NumPy's own large arrays lie; huge pages if it is large.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const { return base_ == nullptr ? nullptr : base_ + 16; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace tenfold::bench
