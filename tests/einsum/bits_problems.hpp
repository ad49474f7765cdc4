// The fixture and the problems of the tests that compare contractions bit for bit: each kind of
// pair, large enough to be shared between threads, and small ones with odd lengths.
// Called by same_bits_test and layout_bits_test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/einsum.hpp"
#include "support/pace.hpp"

namespace tenfold::testing {

struct BitsProblem {
  const char* equation;
  std::vector<std::int64_t> sizes;
};

// Large enough to be shared between threads, each kind of pair once at least.
inline const std::vector<BitsProblem> kLarge = {{"ab,bc->ac", {230, 310, 190}},
                                                {"ab,cb->ac", {60, 3000, 70}},
                                                {"ba,bc->ca", {150, 400, 130}},
                                                {"eab,ebc->eac", {12, 70, 40, 90}},
                                                {"eab,ebc->eac", {6000, 4, 5, 6}},
                                                {"bsnh,btnh->bnts", {2, 60, 4, 32, 70}},
                                                {"abcd,cdef->abef", {9, 20, 13, 16, 11, 18}},
                                                {"ab,b->a", {900, 700}},
                                                {"ab,a->b", {900, 700}},
                                                {"a,a->", {500000}},
                                                {"ab,ab->a", {300, 2000}},
                                                {"ab,ab->", {700, 800}},
                                                {"a,b->ab", {600, 700}},
                                                {"ab,ab->ab", {700, 650}},
                                                {"abc,cb->bca", {50, 60, 70}},
                                                {"ab->ba", {800, 700}},
                                                {"abcd->dcba", {20, 24, 28, 32}},
                                                {"ab->b", {900, 500}},
                                                {"ab->a", {500, 900}},
                                                {"a->", {700000}},
                                                {"aab,bc->ca", {60, 300, 200}},
                                                {"ab,bc,cd->ad", {90, 110, 130, 150}},
                                                {"abc,ad,bd->cd", {40, 30, 50, 60}},
                                                {"ab,c->c", {500, 400, 90}}};

// Small ones with odd edges, for what depends on lengths.
inline std::vector<BitsProblem> small_problems() {
  std::vector<BitsProblem> problems;
  for (const std::int64_t k : {1, 2, 3, 7, 16, 31, 64, 100, 257, 600})
    for (const char* equation : {"ab,bc->ac", "ab,cb->ac", "ba,cb->ca", "eab,ebc->eac"}) {
      problems.push_back({equation, {5, k, 9, 3}});
      problems.push_back({equation, {33, k, 17, 2}});
    }
  // Several axes of a kind: neighbours in memory without padding, and some of them not with it.
  for (const std::int64_t k : {2, 5, 16, 100, 700})
    for (const char* equation :
         {"abc,bcd->ad", "abc,dbc->ad", "abc,bc->a", "bca,bcd->ad", "abc,abc->a", "abc,abc->",
          "abc->a", "bca->a", "eabc,ebcd->ead", "abc,cd->abd", "abc,dc->abd", "cab,cd->abd",
          "abc,abcd->abd", "abc,c->ab", "cab,c->ab", "abc,abc->ab", "ab,cd->abcd"}) {
      problems.push_back({equation, {5, 6, k, 9, 3}});
      problems.push_back({equation, {17, k, 3, 2, 4}});
    }
  for (const std::int64_t k : {1, 3, 15, 16, 33, 200, 1000, 5000})
    for (const char* equation : {"ab,b->a", "ba,b->a", "ab,ab->a", "ba,ba->a", "ab->a", "ba->a",
                                 "ab,ab->", "ab,a->b", "a,b->ab", "ab->ba", "ab,ab->ab"})
      problems.push_back({equation, {7, k}});
  return problems;
}

class EinsumBitsFixture : public ::testing::TestWithParam<DType> {
 protected:
  bool same(const Tensor& a, const Tensor& b, const std::string& problem) {
    const std::string wrong = difference(a, b);
    if (wrong.empty()) return true;
    ADD_FAILURE() << problem << ":" << wrong;
    return ++failures_ < kMostFailures;
  }
  Random random_{17};

 private:
  static constexpr int kMostFailures = 5;
  int failures_ = 0;
};

// Under a sanitizer the same code runs on less.
inline std::vector<std::int64_t> extents_of(const BitsProblem& problem) {
  std::vector<std::int64_t> sizes = problem.sizes;
  if (kSanitized)
    for (std::int64_t& size : sizes) size = size > 16 ? size / 2 : size;
  return sizes;
}

// The types that the tests of bits run on.
inline auto bits_types() {
  return ::testing::Values(DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,
                           DType::kI32, DType::kI64, DType::kC64);
}

}  // namespace tenfold::testing
