#include "core/convert.hpp"

#include <cstring>

namespace tenfold {
namespace {

template <class From, class To>
void convert_run(const void* src, std::int64_t src_stride, std::int64_t count, void* dst) {
  const From* p = static_cast<const From*>(src);
  To* q = static_cast<To*>(dst);
  if (src_stride == 1) {
    if constexpr (std::is_same_v<From, To>) {
      std::memcpy(q, p, static_cast<std::size_t>(count) * sizeof(To));
    } else {
      for (std::int64_t i = 0; i < count; ++i) q[i] = convert_element<To>(p[i]);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<From, To>)
      q[i] = p[i * src_stride];
    else
      q[i] = convert_element<To>(p[i * src_stride]);
  }
}

}  // namespace

ConvertFn find_convert(DType from, DType to) {
  return visit_dtype(from, [&]<class From>() {
    return visit_dtype(to, []<class To>() -> ConvertFn {
      if constexpr (is_complex_type<From> && !is_complex_type<To>)
        return nullptr;
      else
        return &convert_run<From, To>;
    });
  });
}

}  // namespace tenfold
