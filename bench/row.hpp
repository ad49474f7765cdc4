// A benchmark row as Tenfold sees it: the operator or equation, the layouts and the memory it runs
// on. Called by the worker and by the micro-benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenfold/einsum.hpp"
#include "tenfold/reduce.hpp"

namespace tenfold::bench {

struct Row {
  bool is_einsum = false;
  ReduceSpec spec;    // a reduction
  EinsumSpec einsum;  // a contraction
  DType dtype = DType::kF32;
  std::vector<Dims> shapes;  // of each operand's memory; a reduction has one
  Dims perm;                 // of a reduction; empty: the view is the memory

  // The operand that the row means, over `data`.
  TensorView view(std::size_t operand, const void* data) const;
};

// "ReduceSum dt=f32 shape=512x512 axes=0 keepdims=0 [perm=1,0]" or
// "einsum 'ij,jk->ik' dt=f32 shapes=64x64,64x64"; throws Error(kBadArgument).
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
