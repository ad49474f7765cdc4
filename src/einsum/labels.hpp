// Labels of equations: which characters are labels, ids in the order of appearance, and how the
// integers of the interleaved form are written. Used by the readers of equations.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tenfold::einsum_detail {

// Whether a character is a label in the NumPy dialect: a letter of any script. Generous inside the
// scripts' blocks, and from U+00C0 to U+1FFF, where programs take thousands of labels from one
// after the other.
bool is_label(char32_t code);
inline bool is_ascii_letter(char32_t code) { return (code | 0x20) >= 'a' && (code | 0x20) <= 'z'; }

// How an integer of the interleaved form is written: 0 is "a", 26 is "A", then letters of other
// scripts, and "{70000}" when there are no more. No two integers have the same.
std::string symbol_of(int label);

// Numbers keys (code points or integers, 0 or more) in the order in which they are first seen, in
// constant time for each.
class LabelIds {
 public:
  LabelIds() { few_.fill(kNone); }

  int id_of(int key) {
    int& id = key < kFew ? few_[static_cast<std::size_t>(key)] : entry(key);
    if (id == kNone) {
      id = static_cast<int>(keys_.size());
      keys_.push_back(key);
    }
    return id;
  }
  int count() const { return static_cast<int>(keys_.size()); }
  std::vector<int> take_keys() { return std::move(keys_); }

 private:
  static constexpr int kNone = -1;
  static constexpr int kFew = 128;  // ASCII
  static constexpr int kPage = 64;

  // For keys from kFew on: pages of entries, made when first needed.
  int& entry(int key);

  std::array<int, kFew> few_;
  std::vector<int> pages_;    // by key / kPage: where the page begins in entries_
  std::vector<int> entries_;  // ids
  std::vector<int> keys_;     // by id
};

}  // namespace tenfold::einsum_detail
