// ArgMax and ArgMin: the greatest key and where it stands. NaN beats everything, the zeros tie.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/arg_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/arg_inner-inl.h"
#include "kernels/arg_outer-inl.h"
#include "kernels/arg_short-inl.h"
#include "kernels/kernel_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class T>
struct Arg {
  static constexpr int64_t kPiece = ArgOuter<T, false, false>::kPiece;
  static constexpr int64_t kMaxRows = int64_t{1} << 30;  // row numbers fit a lane
  using R = typename ArgInner<T, false>::R;

  static void RunInner(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* states,
                       const KernelArgs& args) {
    // Keys carry the direction in their flip; elements that compare as they are need a twin.
    constexpr bool kTwin = std::is_floating_point_v<T>;
    const R* p = static_cast<const R*>(x);
    auto* out = static_cast<ArgState*>(states);
    if (ArgShort<ArgOuter<T, false, false>>::Suits(rows, n))
      WithOrder(args, [&]<class O>() { ArgShort<O>::Run(p, rows, row_stride, n, out, args); });
    else if (kTwin && args.flip != 0)
      ArgInner<T, kTwin>::Run(x, rows, row_stride, n, states, args);
    else
      ArgInner<T, false>::Run(x, rows, row_stride, n, states, args);
  }

  static void RunOuter(const void* x, int64_t groups, int64_t group_stride, int64_t n,
                       int64_t row_stride, int64_t columns, void* states, std::byte*,
                       const KernelArgs& args) {
    const R* p = static_cast<const R*>(x);
    auto* out = static_cast<ArgState*>(states);
    for (int64_t g = 0; g < groups; ++g, p += group_stride, out += columns)
      for (int64_t c = 0; c < columns; c += kPiece) {
        const int64_t width = std::min(kPiece, columns - c);
        Piece(p + c, std::min(n, kMaxRows), row_stride, width, out + c, args);
        for (int64_t i = kMaxRows; i < n; i += kMaxRows)
          Later(p + c + i * row_stride, i, std::min(n - i, kMaxRows), row_stride, width, out + c,
                args);
      }
  }

  // Rows from `first_row` on join what those before them made.
  static HWY_NOINLINE void Later(const R* p, int64_t first_row, int64_t n, int64_t row_stride,
                                 int64_t columns, ArgState* out, const KernelArgs& args) {
    constexpr int64_t kColumns = 512;
    ArgState later[kColumns];
    KernelArgs shifted = args;
    shifted.index += first_row;
    for (int64_t c = 0; c < columns; c += kColumns) {
      const int64_t width = std::min(kColumns, columns - c);
      Piece(p + c, n, row_stride, width, later, shifted);
      Merge(out + c, later, width, args);
    }
  }

  static void Piece(const R* p, int64_t n, int64_t row_stride, int64_t columns, ArgState* out,
                    const KernelArgs& args) {
    WithOrder(args, [&]<class O>() { O::Run(p, n, row_stride, columns, out, args); });
  }

  // Calls f with the ArgOuter of the call's direction and of which of equal elements wins.
  template <class F>
  static void WithOrder(const KernelArgs& args, const F& f) {
    constexpr bool kTwin = std::is_floating_point_v<T>;
    const bool min = kTwin && args.flip != 0;
    if (min && args.last)
      f.template operator()<ArgOuter<T, kTwin, true>>();
    else if (min)
      f.template operator()<ArgOuter<T, kTwin, false>>();
    else if (args.last)
      f.template operator()<ArgOuter<T, false, true>>();
    else
      f.template operator()<ArgOuter<T, false, false>>();
  }

  static void Merge(void* a, const void* b, int64_t count, const KernelArgs& args) {
    auto* pa = static_cast<ArgState*>(a);
    const auto* pb = static_cast<const ArgState*>(b);
    for (int64_t i = 0; i < count; ++i)
      if (pb[i].key > pa[i].key || (args.last && pb[i].key == pa[i].key)) pa[i] = pb[i];
  }

  static size_t Scratch(int64_t, int64_t) { return 0; }
};

template <class T>
constexpr ReduceKernel ArgRow(const char* name) {
  using G = Arg<T>;
  return {name,        sizeof(ArgState), kLeaf,        G::kPiece,
          &G::Scratch, &G::RunInner,     &G::RunOuter, &G::Merge};
}

const ReduceKernel* FindArgKernel(KernelOp op, DType dtype) {
  static constexpr KernelRow kRows[] = {
      {KernelOp::kArg, DType::kF64, ArgRow<double>("Arg<double>")},
      {KernelOp::kArg, DType::kF32, ArgRow<float>("Arg<float>")},
      {KernelOp::kArg, DType::kF16, ArgRow<Float16>("Arg<Float16>")},
      {KernelOp::kArg, DType::kBF16, ArgRow<BFloat16>("Arg<BFloat16>")},
      {KernelOp::kArg, DType::kI8, ArgRow<int8_t>("Arg<int8_t>")},
      {KernelOp::kArg, DType::kI16, ArgRow<int16_t>("Arg<int16_t>")},
      {KernelOp::kArg, DType::kI32, ArgRow<int32_t>("Arg<int32_t>")},
      {KernelOp::kArg, DType::kI64, ArgRow<int64_t>("Arg<int64_t>")},
      {KernelOp::kArg, DType::kBool, ArgRow<Bool>("Arg<Bool>")},
  };
  return FindRow(kRows, op, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {
HWY_EXPORT(FindArgKernel);
const ReduceKernel* find_arg_kernel(KernelOp op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindArgKernel)(op, dtype);
}
}  // namespace tenfold::kernels
#endif
