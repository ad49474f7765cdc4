// What the tests of the sums of products share: pairs from equations, memory whose neighbours
// fault, an executor of many threads, exact sums. Included by dot_test.cpp and columns_test.cpp.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <map>
#include <string>
#include <string_view>

#include "einsum/pair_testing.hpp"

namespace tenfold::einsum_detail::testing {

using Sizes = std::map<char, std::int64_t>;

// How an operand lies in memory; its term names the axes from the outermost to the innermost.
struct Memory {
  std::int64_t gap = 0;       // elements behind each run of the innermost axis
  std::int64_t step = 1;      // between neighbours of the innermost axis
  std::string reversed = {};  // labels of axes that run backwards
};

struct Types {
  DType a = DType::kF32, b = DType::kF32, c = DType::kF32;
};
inline constexpr Types kDoubles{DType::kF64, DType::kF64, DType::kF64};

inline std::string name_for(std::string_view equation, const Sizes& sizes) {
  std::string name(equation);
  for (const auto& [label, size] : sizes) name += std::string(" ") + label + std::to_string(size);
  return name;
}

inline std::map<char, std::int64_t> strides_of(const std::string& term, const Sizes& sizes,
                                               const Memory& memory) {
  std::map<char, std::int64_t> strides;
  std::int64_t stride = memory.step;
  for (std::size_t i = term.size(); i-- > 0;) {
    const bool back = memory.reversed.find(term[i]) != std::string::npos;
    strides[term[i]] = back ? -stride : stride;
    stride = stride * sizes.at(term[i]) + (i + 1 == term.size() ? memory.gap : 0);
  }
  return strides;
}

// "ij,j->i" with the letters' sizes.
inline Pair pair_of(std::string_view equation, const Sizes& sizes, Types types = {},
                    const Memory& a = {}, const Memory& b = {}, const Memory& c = {}) {
  const std::size_t comma = equation.find(','), arrow = equation.find("->");
  const std::string terms[] = {std::string(equation.substr(0, comma)),
                               std::string(equation.substr(comma + 1, arrow - comma - 1)),
                               std::string(equation.substr(arrow + 2))};
  const std::map<char, std::int64_t> strides[] = {strides_of(terms[0], sizes, a),
                                                  strides_of(terms[1], sizes, b),
                                                  strides_of(terms[2], sizes, c)};
  Pair pair;
  pair.a_type = types.a;
  pair.b_type = types.b;
  pair.c_type = types.c;
  for (const auto& [label, size] : sizes) {
    const bool in[] = {strides[0].contains(label), strides[1].contains(label),
                       strides[2].contains(label)};
    const auto of = [&](int i) { return in[i] ? strides[i].at(label) : 0; };
    PairAxes& axes = !in[2] ? pair.k : in[0] && in[1] ? pair.batch : in[0] ? pair.m : pair.n;
    axes.push_back({size, of(0), of(1), of(2)});
  }
  fold_pair(pair);
  return pair;
}

// Claims many threads and runs the pieces one after another, the last first.
class Backwards final : public Executor {
 public:
  explicit Backwards(int threads) : threads_(threads) {}
  int concurrency() const override { return threads_; }
  void run(std::int64_t count, int, TaskRef task) override {
    for (std::int64_t i = count; i-- > 0;) task(i);
  }

 private:
  int threads_;
};

// `bytes` of memory, exactly: a page that faults follows them.
class Fenced {
 public:
  explicit Fenced(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (bytes + page - 1) / page * page;
    size_ = whole + page;
    base_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(base_ + whole, page, PROT_NONE), 0);
    data_ = base_ + whole - bytes;
  }
  ~Fenced() { munmap(base_, size_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte *base_ = nullptr, *data_ = nullptr;
  std::size_t size_ = 0;
};

// Makes the kernel of `kind` and compares it with the nested loop.
inline void expect_right(const PairKind& kind, const Pair& pair, const std::string& name) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(kind.accepts(pair));
  EXPECT_GT(kind.cost(pair), 0);
  expect_right(pair, *kind.make(pair));
}

// The output's bytes, with guard zones, for random operands of the pair.
inline std::vector<std::byte> bytes_of(const Pair& pair, const PairKernel& kernel,
                                       const RunOptions& options) {
  std::mt19937 random(7);
  Block a(
      pair, pair.a_type, [](const PairAxis& x) { return x.a; }, random, false);
  Block b(
      pair, pair.b_type, [](const PairAxis& x) { return x.b; }, random, false);
  Block c(
      pair, pair.c_type, [](const PairAxis& x) { return x.c; }, random, false);
  kernel.run(a.data(), b.data(), c.data(), options);
  std::vector<std::byte> bytes;
  PairAxes kept = pair.batch;
  kept.insert(kept.end(), pair.m.begin(), pair.m.end());
  kept.insert(kept.end(), pair.n.begin(), pair.n.end());
  const auto size = static_cast<std::int64_t>(size_of(pair.c_type));
  for_each(kept, [&](std::int64_t, std::int64_t, std::int64_t at) {
    bytes.insert(bytes.end(), c.data() + at * size, c.data() + (at + 1) * size);
  });
  return bytes;
}

// One thread and many give the same bits.
inline void expect_same_for_threads(const PairKind& kind, const Pair& pair,
                                    const std::string& name) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(kind.accepts(pair));
  const auto kernel = kind.make(pair);
  const auto one = bytes_of(pair, *kernel, {.executor = &serial_executor()});
  for (int threads : {2, 3, 5, 16, 64}) {
    Backwards executor(threads);
    EXPECT_EQ(bytes_of(pair, *kernel, {.executor = &executor}), one) << threads << " threads";
  }
}

}  // namespace tenfold::einsum_detail::testing
