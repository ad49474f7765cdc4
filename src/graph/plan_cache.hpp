// The plans of one node, one for each set of layouts and each key, a few at most.
// Held by the operations that plan: reductions, contractions and trees of them.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/immortal.hpp"
#include "tenfold/tensor.hpp"

namespace tenfold::graph {

// One for all nodes: what it guards takes no time, and a fork has to wait for it.
struct PlansMutex : std::mutex {};

// Types, extents and strides of some tensors in one short list; a TensorView has room for 64 axes.
class Layouts {
 public:
  explicit Layouts(std::span<const TensorView> views) {
    std::size_t count = 0;
    for (const TensorView& view : views) count += 2 + 2 * static_cast<std::size_t>(view.rank());
    items_.resize(count);
    auto at = items_.begin();
    for (const TensorView& view : views) {
      *at++ = static_cast<std::int64_t>(view.dtype);
      *at++ = view.rank();
      at = std::copy(view.shape.begin(), view.shape.end(), at);
      at = std::copy(view.strides.begin(), view.strides.end(), at);
    }
  }

  bool are_of(std::span<const TensorView> views) const {
    auto at = items_.begin();
    const auto next_are = [&at](const Dims& dims) {
      const bool equal = std::equal(dims.begin(), dims.end(), at);
      at += dims.size();
      return equal;
    };
    for (const TensorView& view : views) {
      if (items_.end() - at < 2 || at[0] != static_cast<std::int64_t>(view.dtype) ||
          at[1] != view.rank())
        return false;
      at += 2;
      if (!next_are(view.shape) || !next_are(view.strides)) return false;
    }
    return at == items_.end();
  }

 private:
  std::vector<std::int64_t> items_;
};

// Key: what a plan depends on besides the layouts; compared with ==.
template <class Plan, class Key = std::monostate>
class PlanCache {
 public:
  // The plan for this key and these layouts; what make() returns when there is none yet.
  template <class Make>
  std::shared_ptr<const Plan> get(const Key& key, std::span<const TensorView> views,
                                  const Make& make) {
    {
      const std::lock_guard<std::mutex> lock(immortal<PlansMutex>());
      for (const Entry& entry : entries_)
        if (entry.layouts.are_of(views) && entry.key == key) return entry.plan;
    }
    // Plans are made and destroyed outside the lock: that may take long, and other locks.
    auto plan = std::make_shared<const Plan>(make());
    std::shared_ptr<const Plan> oldest;
    const std::lock_guard<std::mutex> lock(immortal<PlansMutex>());
    if (entries_.size() == kPlansKept) {
      oldest = std::move(entries_.front().plan);
      entries_.erase(entries_.begin());
    }
    entries_.push_back({key, Layouts(views), plan});
    return plan;
  }

  std::shared_ptr<const Plan> newest() const {  // nullptr before the first run
    const std::lock_guard<std::mutex> lock(immortal<PlansMutex>());
    return entries_.empty() ? nullptr : entries_.back().plan;
  }

 private:
  static constexpr std::size_t kPlansKept = 8;
  struct Entry {
    Key key;
    Layouts layouts;
    std::shared_ptr<const Plan> plan;
  };
  std::vector<Entry> entries_;  // the newest last
};

}  // namespace tenfold::graph
