// Tensors: Dims (a shape or strides, no heap), TensorView (owns nothing), Tensor (owns aligned
// memory). Strides count elements, not bytes; they may be negative or zero. Rank 0 to 64, zero-size
// axes allowed. Used by every plan, loader and reader.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "tenfold/dtype.hpp"
#include "tenfold/export.hpp"

namespace tenfold {

inline constexpr int kMaxRank = 64;

// Up to kMaxRank integers in place: a shape, strides or a list of axes.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> v) : Dims(std::span(v.begin(), v.size())) {}
  // Throws Error(kRankTooLarge) for more than kMaxRank entries.
  TENFOLD_API explicit Dims(std::span<const std::int64_t> v);
  Dims(const Dims& o) : size_(o.size_) { std::copy_n(o.v_, size_, v_); }
  Dims& operator=(const Dims& o) {
    size_ = o.size_;
    if (this != &o) std::copy_n(o.v_, size_, v_);
    return *this;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t& operator[](int i) { return v_[i]; }
  std::int64_t operator[](int i) const { return v_[i]; }
  const std::int64_t* begin() const { return v_; }
  const std::int64_t* end() const { return v_ + size_; }
  std::int64_t* begin() { return v_; }
  std::int64_t* end() { return v_ + size_; }
  std::int64_t back() const { return v_[size_ - 1]; }
  void push_back(std::int64_t v) {
    assert(size_ < kMaxRank);
    v_[size_++] = v;
  }
  void resize(int n, std::int64_t fill = 0) {
    assert(n <= kMaxRank);
    for (int i = size_; i < n; ++i) v_[i] = fill;
    size_ = n;
  }
  operator std::span<const std::int64_t>() const {  // NOLINT(google-explicit-constructor)
    return {v_, static_cast<std::size_t>(size_)};
  }
  // No call of memcmp, which std::equal makes: it takes longer than to compare a few numbers.
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i)
      if (a.v_[i] != b.v_[i]) return false;
    return true;
  }

 private:
  int size_ = 0;
  std::int64_t v_[kMaxRank];  // entries past size_ are not initialised
};

// Product of the extents; throws Error(kSizeOverflow) when negative extents or the product pass
// int64.
TENFOLD_API std::int64_t element_count(const Dims& shape);
// Row-major strides of a dense tensor.
TENFOLD_API Dims contiguous_strides(const Dims& shape);
// "(2, 3, 4)".
TENFOLD_API std::string to_string(const Dims& shape);

// A read-only view of elements somewhere in memory. `data` points at element (0, …, 0).
struct TensorView {
  const void* data = nullptr;
  DType dtype = DType::kF32;
  Dims shape;
  Dims strides;  // in elements, one per axis

  TensorView() = default;
  TensorView(const void* d, DType t, const Dims& s) : TensorView(d, t, s, contiguous_strides(s)) {}
  TensorView(const void* d, DType t, const Dims& s, const Dims& st)
      : data(d), dtype(t), shape(s), strides(st) {}
  template <class T>
  TensorView(const T* d, const Dims& s) : TensorView(d, dtype_of<T>, s) {}

  int rank() const { return shape.size(); }
};

// A view that may be written through.
struct MutableTensorView : TensorView {
  MutableTensorView() = default;
  MutableTensorView(void* d, DType t, const Dims& s) : TensorView(d, t, s) {}
  MutableTensorView(void* d, DType t, const Dims& s, const Dims& st) : TensorView(d, t, s, st) {}
  template <class T>
  MutableTensorView(T* d, const Dims& s) : TensorView(d, dtype_of<T>, s) {}

  void* mutable_data() const { return const_cast<void*>(data); }
};

// Views of a view: none touches an element.
TENFOLD_API TensorView permuted(const TensorView& t, const Dims& axes);
TENFOLD_API bool is_contiguous(const TensorView& t);  // row-major and dense (size-1 axes ignored)

// Owns 64-byte aligned, row-major memory. Move-only; throws Error(kOutOfMemory, kSizeOverflow).
class TENFOLD_API Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, const Dims& shape);  // elements not initialised

  static Tensor zeros(DType dtype, const Dims& shape);
  static Tensor copy_of(const TensorView& view);  // any strides in, row-major out
  template <class T>
  static Tensor of(std::initializer_list<T> values, const Dims& shape);  // count must fit the shape

  DType dtype() const { return dtype_; }
  const Dims& shape() const { return shape_; }
  std::int64_t size() const { return size_; }  // elements
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(size_of(dtype_)); }
  const void* data() const { return data_.get(); }
  void* data() { return data_.get(); }
  template <class T>
  std::span<const T> values() const {
    assert(dtype_of<T> == dtype_);
    return {static_cast<const T*>(data()), static_cast<std::size_t>(size_)};
  }
  template <class T>
  std::span<T> values() {
    assert(dtype_of<T> == dtype_);
    return {static_cast<T*>(data()), static_cast<std::size_t>(size_)};
  }

  // The same memory under another shape of as many elements; throws Error(kShapeMismatch).
  Tensor reshaped(const Dims& shape) &&;

  TensorView view() const { return {data(), dtype_, shape_}; }
  MutableTensorView view() { return {data(), dtype_, shape_}; }
  operator TensorView() const { return view(); }   // NOLINT(google-explicit-constructor)
  operator MutableTensorView() { return view(); }  // NOLINT(google-explicit-constructor)

 private:
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> data_;
  DType dtype_ = DType::kF32;
  Dims shape_;
  std::int64_t size_ = 0;
};

template <class T>
Tensor Tensor::of(std::initializer_list<T> values, const Dims& shape) {
  Tensor t(dtype_of<T>, shape);
  assert(t.size() == static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), static_cast<T*>(t.data()));
  return t;
}

}  // namespace tenfold
