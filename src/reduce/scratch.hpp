// Scratch memory of a thread and a bump allocator over it; states that meet in a binary tree.
// Called by run.cpp and by the sums of products of einsum.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/reduce_kernels.hpp"
#include "reduce/plan.hpp"

namespace tenfold {

// Hands out cache-line aligned pieces of this thread's scratch; the plan has made sure that they
// fit.
class Arena {
 public:
  Arena() : next_(thread_scratch()) {}
  std::byte* take(std::int64_t bytes) {
    std::byte* piece = next_;
    next_ += (bytes + 63) / 64 * 64;
    return piece;
  }

 private:
  static std::byte* thread_scratch() {
    struct Free {
      void operator()(void* p) const { std::free(p); }
    };
    thread_local const std::unique_ptr<std::byte, Free> memory(
        static_cast<std::byte*>(std::aligned_alloc(4096, kScratchBytes)));
    if (!memory) throw std::bad_alloc();
    return memory.get();
  }
  std::byte* next_;
};

// The tree over a loop whose positions each give `count` states: a binary counter of subtrees.
class StateTree {
 public:
  StateTree(const kernels::ReduceKernel& kernel, const kernels::KernelArgs& args,
            std::int64_t count, std::byte* nodes)
      : kernel_(kernel), args_(args), count_(count), nodes_(nodes) {}

  // Bytes for the nodes of a loop of `size` positions.
  static std::int64_t bytes(std::int64_t size, std::int64_t row_bytes) {
    return (64 - std::countl_zero(static_cast<std::uint64_t>(size))) * row_bytes;
  }

  // Adds a whole subtree of 2^level positions; `states` is used up.
  void push(std::byte* states, int level) {
    const std::uint64_t step = std::uint64_t{1} << level;
    for (; filled_ >> level & 1; ++level) {
      kernel_.merge(node(level), states, count_, args_);
      states = node(level);
    }
    std::memcpy(node(level), states, row_bytes());
    filled_ += step;
  }

  // Folds what is left, the smallest subtree first, beginning with `last` (a partial subtree) if
  // given.
  void finish(std::byte* out, std::byte* last = nullptr) {
    std::byte* states = last;
    for (std::uint64_t rest = filled_; rest != 0; rest &= rest - 1) {
      std::byte* next = node(std::countr_zero(rest));
      if (states != nullptr) kernel_.merge(next, states, count_, args_);
      states = next;
    }
    if (states != out) std::memcpy(out, states, row_bytes());
  }

  // Folds `positions` rows of states in place, as a subtree of their own; the result is row 0.
  static void fold_rows(const kernels::ReduceKernel& kernel, const kernels::KernelArgs& args,
                        std::byte* rows, std::int64_t positions, std::int64_t count) {
    const std::int64_t row = count * static_cast<std::int64_t>(kernel.state_size);
    for (std::int64_t step = 1; step < positions; step *= 2)
      for (std::int64_t i = 0; i + step < positions; i += 2 * step)
        kernel.merge(rows + i * row, rows + (i + step) * row, count, args);
  }

 private:
  std::size_t row_bytes() const { return static_cast<std::size_t>(count_) * kernel_.state_size; }
  std::byte* node(int level) const {
    return nodes_ + static_cast<std::size_t>(level) * row_bytes();
  }

  const kernels::ReduceKernel& kernel_;
  const kernels::KernelArgs& args_;
  std::int64_t count_;
  std::byte* nodes_;
  std::uint64_t filled_ = 0;
};

}  // namespace tenfold
