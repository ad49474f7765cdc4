#include "einsum/memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "core/immortal.hpp"
#include "tenfold/error.hpp"

namespace tenfold::einsum_detail {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;
// Most bytes that wait for the next run, of the process.
constexpr std::int64_t kKeptBytes = std::int64_t{64} << 20;

struct Block {
  std::byte* data;
  std::int64_t bytes;
};

class Kept {
 public:
  // A block of at least `bytes`, and no more than twice as large.
  Block take(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    std::size_t best = blocks_.size();
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (blocks_[i].bytes >= bytes && blocks_[i].bytes <= 2 * bytes &&
          (best == blocks_.size() || blocks_[i].bytes < blocks_[best].bytes))
        best = i;
    if (best == blocks_.size()) return {nullptr, 0};
    const Block block = blocks_[best];
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(best));
    total_ -= block.bytes;
    return block;
  }
  // Keeps the block if there is room; the oldest make room for it.
  void give(Block block) {
    if (block.bytes > kKeptBytes) return std::free(block.data);
    const std::lock_guard lock(mutex_);
    while (total_ + block.bytes > kKeptBytes) {
      total_ -= blocks_.front().bytes;
      std::free(blocks_.front().data);
      blocks_.erase(blocks_.begin());
    }
    blocks_.push_back(block);
    total_ += block.bytes;
  }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;  // the oldest first
  std::int64_t total_ = 0;
};

Kept& kept() { return immortal<Kept>(); }

}  // namespace

Loan::Loan(std::int64_t bytes) {
  const Block block = kept().take(bytes);
  data_ = block.data;
  bytes_ = block.bytes;
  if (data_ != nullptr) return;
  const std::int64_t page = bytes >= kHugePage ? kHugePage : kPage;
  bytes_ = (bytes + kPage - 1) / kPage * kPage;
  void* data = nullptr;
  if (posix_memalign(&data, static_cast<std::size_t>(page), static_cast<std::size_t>(bytes_)) == 0)
    data_ = static_cast<std::byte*>(data);
  if (data_ == nullptr)
    throw Error(ErrorCode::kOutOfMemory, "einsum", "no memory for an intermediate",
                std::to_string(bytes) + " bytes");
  if (page == kHugePage) madvise(data_, static_cast<std::size_t>(bytes_), MADV_HUGEPAGE);
}

void Loan::reset() {
  if (data_ != nullptr) kept().give({data_, bytes_});
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace tenfold::einsum_detail
