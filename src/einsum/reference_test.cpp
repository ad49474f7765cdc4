// The oracle itself, held against values worked out by hand.
#include "einsum/reference.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

namespace tenfold {
namespace {

using Labels = std::vector<int>;

template <class T>
std::vector<T> values(const Tensor& t) {
  const auto all = t.values<T>();
  return {all.begin(), all.end()};
}

Tensor evaluate(std::vector<Labels> inputs, Labels output, std::vector<TensorView> operands) {
  const DType dtype = operands[0].dtype;
  return reference_einsum({std::move(inputs), std::move(output)}, operands, dtype);
}

TEST(EinsumReference, Products) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor b = Tensor::of<float>({1, 0, 2, -1, 0, 3}, {3, 2});
  const Tensor c = evaluate({{0, 1}, {1, 2}}, {0, 2}, {a, b});
  EXPECT_EQ(to_string(c.shape()), "(2, 2)");
  EXPECT_EQ(values<float>(c), (std::vector<float>{5, 7, 14, 13}));
  EXPECT_EQ(values<float>(evaluate({{0, 1}, {1, 2}}, {2, 0}, {a, b})),
            (std::vector<float>{5, 14, 7, 13}));
  EXPECT_EQ(values<float>(evaluate({{0, 1}, {1, 2}}, {}, {a, b})), (std::vector<float>{39}));
  const Tensor v = Tensor::of<float>({10, 100}, {2});
  EXPECT_EQ(values<float>(evaluate({{0}, {1}}, {0, 1}, {v, v})),
            (std::vector<float>{100, 1000, 1000, 10000}));
  EXPECT_EQ(values<float>(evaluate({{0}, {0}, {0}}, {0}, {v, v, v})),
            (std::vector<float>{1000, 1000000}));
}

TEST(EinsumReference, OneOperand) {
  const Tensor a = Tensor::of<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  EXPECT_EQ(values<std::int32_t>(evaluate({{0, 0}}, {0}, {a})),
            (std::vector<std::int32_t>{1, 5, 9}));
  EXPECT_EQ(values<std::int32_t>(evaluate({{0, 0}}, {}, {a})), (std::vector<std::int32_t>{15}));
  EXPECT_EQ(values<std::int32_t>(evaluate({{0, 1}}, {1}, {a})),
            (std::vector<std::int32_t>{12, 15, 18}));
  EXPECT_EQ(values<std::int32_t>(evaluate({{1, 0}}, {0, 1}, {a})),
            (std::vector<std::int32_t>{1, 4, 7, 2, 5, 8, 3, 6, 9}));
  const Tensor scalar = Tensor::of<std::int32_t>({7}, {});
  EXPECT_EQ(values<std::int32_t>(evaluate({{}}, {}, {scalar})), (std::vector<std::int32_t>{7}));
}

TEST(EinsumReference, ExtentsOfOneStretchAndStridesAreFollowed) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4}, {4});
  const TensorView backwards(a.values<float>().data() + 3, DType::kF32, Dims{2}, Dims{-2});
  const Tensor one = Tensor::of<float>({10}, {1});
  EXPECT_EQ(values<float>(evaluate({{0}, {0}}, {0}, {backwards, one})),
            (std::vector<float>{40, 20}));
  EXPECT_EQ(values<float>(evaluate({{0}, {0}}, {0}, {one, one})), (std::vector<float>{100}));
  const TensorView repeated(a.values<float>().data() + 1, DType::kF32, Dims{3}, Dims{0});
  EXPECT_EQ(values<float>(evaluate({{0}}, {}, {repeated})), (std::vector<float>{6}));
}

TEST(EinsumReference, ZeroExtents) {
  const Tensor none(DType::kF32, Dims{2, 0});
  const Tensor sum = evaluate({{0, 1}}, {0}, {none});
  EXPECT_EQ(values<float>(sum), (std::vector<float>{0, 0}));
  EXPECT_EQ(to_string(evaluate({{0, 1}}, {1, 0}, {none}).shape()), "(0, 2)");
  const Tensor one = Tensor::of<float>({5}, {1});
  EXPECT_EQ(to_string(evaluate({{0, 1}, {1}}, {1}, {none, one}).shape()), "(0,)");
}

TEST(EinsumReference, TruthValuesAndIntegers) {
  const Tensor a = Tensor::of<Bool>({Bool(true), Bool(false), Bool(true), Bool(true)}, {2, 2});
  const Tensor sums = evaluate({{0, 1}, {1}}, {0}, {a, Tensor::of<Bool>({Bool(0), Bool(1)}, {2})});
  EXPECT_EQ(sums.values<Bool>()[0].byte, 0);
  EXPECT_EQ(sums.values<Bool>()[1].byte, 1);
  EXPECT_EQ(evaluate({{0, 1}}, {}, {a}).values<Bool>()[0].byte, 1);  // three trues are true
  const Tensor bytes = Tensor::of<std::int8_t>({100, 100}, {2});
  EXPECT_EQ(values<std::int8_t>(evaluate({{0}}, {}, {bytes})), (std::vector<std::int8_t>{-56}));
  const Tensor big = Tensor::of<std::int64_t>({INT64_MAX, 3}, {2});
  EXPECT_EQ(values<std::int64_t>(evaluate({{0}, {0}}, {}, {big, big})),
            (std::vector<std::int64_t>{10}));
}

TEST(EinsumReference, ComplexNumbers) {
  using C = std::complex<float>;
  const Tensor a = Tensor::of<C>({{1, 2}, {0, 1}}, {2});
  EXPECT_EQ(values<C>(evaluate({{0}, {0}}, {}, {a, a})), (std::vector<C>{{-4, 4}}));
}

TEST(EinsumReference, SumsAreWide) {
  std::vector<Float16> ones(4096, Float16(1.0F));
  const TensorView view(ones.data(), Dims{4096});
  EXPECT_EQ(static_cast<float>(evaluate({{0}}, {}, {view}).values<Float16>()[0]), 4096);
  const Tensor far = Tensor::of<double>({1, 0x1p-60, -1}, {3});
  EXPECT_EQ(values<double>(evaluate({{0}}, {}, {far}))[0], 0x1p-60);
}

TEST(EinsumReference, OperandsAreConvertedFirst) {
  const Tensor a = Tensor::of<std::int32_t>({1, 2}, {2});
  const Tensor b = Tensor::of<float>({0.5F, 0.25F}, {2});
  const std::vector<TensorView> both{a, b};
  const Tensor dot = reference_einsum({{{0}, {0}}, {}}, both, DType::kF64);
  EXPECT_EQ(values<double>(dot), (std::vector<double>{1}));
}

}  // namespace
}  // namespace tenfold
