#include "support/layout.hpp"

#include <gtest/gtest.h>

#include "support/check.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

TEST(LaidOut, HoldsTheSameElements) {
  Random random(1);
  for (DType dtype : {DType::kF64, DType::kF16, DType::kI8}) {
    const Tensor x = random_tensor(dtype, Dims{2, 3, 5}, ReduceOp::kSum, random);
    for (const Layout& layout :
         {Layout{}, Layout{.memory_order = {2, 0, 1}}, Layout{.gaps = {7, 0, 1}},
          Layout{.backwards = 0b101}, Layout{.offset = 3},
          Layout{.memory_order = {1, 2, 0}, .gaps = {1, 2, 3}, .backwards = 0b110, .offset = 1}}) {
      const LaidOut laid(x, layout);
      EXPECT_EQ(difference(Tensor::copy_of(laid.view()), x), "");
    }
  }
}

TEST(LaidOut, StridesAreAsAsked) {
  const Tensor x = Tensor::zeros(DType::kF32, Dims{2, 3});
  EXPECT_EQ(LaidOut(x, {.memory_order = {1, 0}}).view().strides, (Dims{1, 2}));
  EXPECT_EQ(LaidOut(x, {.gaps = {0, 1}}).view().strides, (Dims{6, 2}));
  EXPECT_EQ(LaidOut(x, {.gaps = {4, 0}}).view().strides, (Dims{7, 1}));
  EXPECT_EQ(LaidOut(x, {.backwards = 2}).view().strides, (Dims{3, -1}));
  const LaidOut shifted(x, {.offset = 1});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shifted.view().data) % 64, 4u);
}

TEST(OutputSpace, NoticesWritesBesideTheElements) {
  for (const Layout& layout :
       {Layout{}, Layout{.gaps = {2, 1}}, Layout{.backwards = 3, .offset = 1},
        Layout{.memory_order = {1, 0}, .gaps = {0, 3}}}) {
    const OutputSpace space(DType::kI16, Dims{2, 3}, layout);
    auto* first = static_cast<std::int16_t*>(space.view().mutable_data());
    const Dims& strides = space.view().strides;
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t j = 0; j < 3; ++j) first[i * strides[0] + j * strides[1]] = 0;
    EXPECT_TRUE(space.is_clean());
    first[strides[0] < 0 ? 1 : -1] = 0;  // beside the outermost element
    EXPECT_EQ(space.is_clean(), false);
  }
}

}  // namespace
}  // namespace tenfold::testing
