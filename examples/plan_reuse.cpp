// A plan made once and run on many frames. The frames are pictures with the channels last; the view
// puts the channels first and leaves out a border of one pixel, by strides alone: no element moves.
#include <cstdio>
#include <vector>

#include "tenfold/tenfold.hpp"

int main() {
  using namespace tenfold;
  constexpr std::int64_t kHeight = 6, kWidth = 8, kChannels = 3;
  std::vector<float> frame(kHeight * kWidth * kChannels);

  // Element (c, y, x) of the view is element (y + 1, x + 1, c) of the frame.
  const Dims shape{kChannels, kHeight - 2, kWidth - 2};
  const Dims strides{1, kWidth * kChannels, kChannels};
  const float* first = frame.data() + (kWidth + 1) * kChannels;
  const TensorView inner(first, DType::kF32, shape, strides);

  const ReducePlan plan({.op = ReduceOp::kMean, .axes = Dims{1, 2}}, inner);
  Tensor mean(plan.output_dtype(), plan.output_shape());

  for (int number = 0; number < 3; ++number) {
    for (std::size_t i = 0; i < frame.size(); ++i) {
      frame[i] = static_cast<float>(number * 10 + static_cast<int>(i % kChannels));
    }
    plan.run(inner, mean);  // allocates nothing
    const auto values = mean.values<float>();
    std::printf("frame %d: mean of each channel %g %g %g\n", number, values[0], values[1],
                values[2]);
  }
  std::printf("%s", plan.explain().c_str());
}
