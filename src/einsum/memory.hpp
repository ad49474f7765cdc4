// Memory for large intermediates: taken from the system in huge pages, and kept for the next run up
// to a bound, since fresh pages cost more than the arithmetic on them. Called by run.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tenfold::einsum_detail {

// A block of memory on loan; 64-byte aligned at least.
class Loan {
 public:
  Loan() = default;
  // Throws Error(kOutOfMemory).
  explicit Loan(std::int64_t bytes);
  Loan(Loan&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Loan& operator=(Loan&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Loan() { reset(); }

  void reset();
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;  // as allocated
};

}  // namespace tenfold::einsum_detail
