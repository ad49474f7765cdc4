// A vector whose first few elements lie in place: plans hold many lists of a few axes or extents,
// and a list on the heap for each took a third of the time to make a plan. Called by pair.hpp and
// plan.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace tenfold::einsum_detail {

// The part of std::vector's interface that plans use. More than kFew elements are on the heap.
template <class T, std::size_t kFew>
class PlanList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  PlanList() = default;
  PlanList(std::initializer_list<T> values) : PlanList(values.begin(), values.end()) {}
  template <std::forward_iterator Iterator>
  PlanList(Iterator first, Iterator last) {
    insert(end(), first, last);
  }
  PlanList(const PlanList& other) : PlanList(other.begin(), other.end()) {}
  PlanList(PlanList&& other) noexcept { take(other); }
  PlanList& operator=(const PlanList& other) {
    if (this == &other) return *this;
    size_ = 0;
    insert(end(), other.begin(), other.end());
    return *this;
  }
  PlanList& operator=(PlanList&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~PlanList() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return many_ ? many_.get() : few_; }
  const T* data() const { return many_ ? many_.get() : few_; }
  iterator begin() { return data(); }
  iterator end() { return data() + size_; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size_; }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    auto more = std::make_unique_for_overwrite<T[]>(count);
    std::copy(begin(), end(), more.get());
    many_ = std::move(more);
    capacity_ = count;
  }
  void push_back(const T& value) {
    const T kept = value;  // it may be one of these
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = kept;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(std::size_t count, const T& fill = T()) {
    const T kept = fill;
    reserve(count);
    for (; size_ < count; ++size_) data()[size_] = kept;
    size_ = count;
  }
  iterator erase(const_iterator from, const_iterator to) {
    T* const at = data() + (from - data());
    size_ = static_cast<std::size_t>(std::copy(to, std::as_const(*this).end(), at) - data());
    return at;
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator insert(const_iterator before, const T& value) {
    const T kept = value;
    return insert(before, &kept, &kept + 1);
  }
  // The values are not among these.
  template <std::forward_iterator Iterator>
  iterator insert(const_iterator before, Iterator first, Iterator last) {
    const std::ptrdiff_t at = before - data();
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    if (size_ + count > capacity_) reserve(std::max(size_ + count, 2 * capacity_));
    std::copy_backward(begin() + at, end(), end() + count);
    std::copy(first, last, begin() + at);
    size_ += count;
    return begin() + at;
  }
  friend bool operator==(const PlanList& x, const PlanList& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }

 private:
  void take(PlanList& other) {
    many_ = std::move(other.many_);
    capacity_ = std::exchange(other.capacity_, kFew);
    size_ = std::exchange(other.size_, 0);
    if (!many_) std::copy_n(other.few_, size_, few_);
  }

  std::size_t size_ = 0, capacity_ = kFew;
  std::unique_ptr<T[]> many_;
  T few_[kFew] = {};
};

// Removes what `which` names, as std::erase_if does.
template <class T, std::size_t kFew, class Which>
void erase_if(PlanList<T, kFew>& list, Which which) {
  list.erase(std::remove_if(list.begin(), list.end(), which), list.end());
}

}  // namespace tenfold::einsum_detail
