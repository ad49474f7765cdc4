#include "allocations.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace tenfold::bench {
namespace {

std::atomic<std::int64_t> calls{0}, live{0}, peak{0};

void add(std::int64_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void* counted(void* p) {
  if (p != nullptr) add(static_cast<std::int64_t>(malloc_usable_size(p)));
  return p;
}

void uncount(void* p) {
  if (p != nullptr) {
    live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  }
}

}  // namespace

Heap heap() { return {calls.load(), live.load(), peak.load()}; }
void reset_peak() { peak.store(live.load()); }

}  // namespace tenfold::bench

// The C library's own entry points, under names that it keeps for such wrappers.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* p);

void* malloc(std::size_t size) { return tenfold::bench::counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) {
  return tenfold::bench::counted(__libc_calloc(count, size));
}
void* realloc(void* p, std::size_t size) {
  tenfold::bench::uncount(p);
  return tenfold::bench::counted(__libc_realloc(p, size));
}
void* memalign(std::size_t alignment, std::size_t size) {
  return tenfold::bench::counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  *p = memalign(alignment, size);
  return *p == nullptr ? ENOMEM : 0;
}
void free(void* p) {
  tenfold::bench::uncount(p);
  __libc_free(p);
}

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  const long got = syscall(SYS_mmap, at, size, protection, flags, file, offset);
  if (got != -1 && file == -1) tenfold::bench::add(static_cast<std::int64_t>(size));
  return reinterpret_cast<void*>(got);  // -1 is MAP_FAILED
}
int munmap(void* at, std::size_t size) {
  const long failed = syscall(SYS_munmap, at, size);
  if (failed == 0) tenfold::bench::live.fetch_sub(static_cast<std::int64_t>(size));
  return static_cast<int>(failed);
}

}  // extern "C"
