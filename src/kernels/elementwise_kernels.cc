// Rows of products, copies and conversions.
#include "kernels/elementwise_kernels.hpp"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "kernels/elementwise-inl.h"
#include "kernels/elementwise_kernels.inc"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

struct ProductRow {
  DType dtype;
  RowsFn run;
};
struct ConversionRow {
  DType from, to;
  RowsFn run;
};

RowsFn FindProducts(DType dtype) {
  static constexpr ProductRow kRows[] = {
#define X(id, T, C) {DType::id, &Products<T, C>::Run},
      TENFOLD_PRODUCTS(X)
#undef X
          {DType::kC64, &Products<float, float, true>::Run},
      {DType::kC128, &Products<double, double, true>::Run},
  };
  for (const ProductRow& row : kRows)
    if (row.dtype == dtype) return row.run;
  return nullptr;
}

RowsFn FindConversions(DType from, DType to) {
  static constexpr ConversionRow kRows[] = {
#define X(from, to, From, To, C) {DType::from, DType::to, &Conversions<From, To, C>::Run},
      TENFOLD_CONVERSIONS(X)
#undef X
  };
  for (const ConversionRow& row : kRows)
    if (row.from == from && row.to == to) return row.run;
  return nullptr;
}

// Elements of 16 bytes: rows of two lanes each.
void CopyPairs(const ElementRows& rows) {
  ElementRows pairs = rows;
  pairs.n *= 2;
  if (!rows.a_one) return Conversions<uint64_t, uint64_t, uint64_t>::Run(pairs);
  for (int64_t i = 0; i < rows.rows; ++i)
    for (int64_t j = 0; j < rows.n; ++j)
      std::memcpy(static_cast<std::byte*>(rows.c) + i * rows.c_row + j * 16,
                  static_cast<const std::byte*>(rows.a) + i * rows.a_row, 16);
}

RowsFn FindCopies(int64_t size) {
  switch (size) {
    case 1:
      return &Conversions<uint8_t, uint8_t, uint8_t>::Run;
    case 2:
      return &Conversions<uint16_t, uint16_t, uint16_t>::Run;
    case 4:
      return &Conversions<uint32_t, uint32_t, uint32_t>::Run;
    case 8:
      return &Conversions<uint64_t, uint64_t, uint64_t>::Run;
    default:
      return &CopyPairs;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {

HWY_EXPORT(FindProducts);
HWY_EXPORT(FindConversions);
HWY_EXPORT(FindCopies);

namespace {

// The type that has the kernels for `dtype`: of integers of one width the signed one, unless
// `keep_sign`.
DType stands_for(DType dtype, bool keep_sign) {
  if (!is_integer(dtype) || (keep_sign && size_of(dtype) < 4)) return dtype;
  static constexpr DType kOfWidth[] = {DType::kI8, DType::kI16, DType::kI32, DType::kI64};
  return kOfWidth[std::countr_zero(size_of(dtype))];
}

}  // namespace

RowsFn find_multiply_rows(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindProducts)(stands_for(dtype, false));
}

RowsFn find_copy_rows(std::int64_t element_size) {
  return HWY_DYNAMIC_DISPATCH(FindCopies)(element_size);
}

RowsFn find_convert_rows(DType from, DType to) {
  to = stands_for(to, false);
  const bool widens = size_of(to) > size_of(from);
  from = stands_for(from, widens);  // only a wider type shows the sign
  if (from == to && from != DType::kBool)
    return find_copy_rows(static_cast<std::int64_t>(size_of(from)));
  return HWY_DYNAMIC_DISPATCH(FindConversions)(from, to);
}

}  // namespace tenfold::kernels
#endif
