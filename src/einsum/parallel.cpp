#include "einsum/parallel.hpp"

#include <cstdlib>
#include <memory>
#include <new>

namespace tenfold::einsum_detail {

std::byte* piece_scratch(std::size_t bytes) {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  thread_local std::unique_ptr<std::byte, Free> memory;
  thread_local std::size_t size = 0;
  if (size < bytes) {
    memory.reset();
    size = 0;
    const std::size_t wanted = (bytes + 4095) / 4096 * 4096;
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(4096, wanted)));
    if (!memory) throw std::bad_alloc();
    size = wanted;
  }
  return memory.get();
}

}  // namespace tenfold::einsum_detail
