// Movers: strided elements to dense ones and back, by element size.
#include <array>
#include <cstring>

#include "kernels/elementwise_kernels.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/cache_control.h"
#include "kernels/ops-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenfold::kernels {
namespace HWY_NAMESPACE {

template <class U>
HWY_INLINE U ElementAt(const std::byte* p) {
  U value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class U>
struct Move {
  using S = Square<U>;
  using D = typename S::D;
  using V = typename S::V;
  using Lane = typename S::Lane;
  static constexpr int64_t N = S::N, kSize = sizeof(U);

  static void Transpose(const std::byte* src, const int64_t* offsets, int64_t rows, int64_t columns,
                        std::byte* dst, int64_t dst_row, int64_t ahead) {
    const D d;
    // Where a side has a whole vector or more, the last square is moved back to end with it.
    for (int64_t q = 0; q < rows; q += N) {
      const int64_t q0 = rows >= N ? HWY_MIN(q, rows - N) : 0;
      const int64_t last = HWY_MIN(N, rows) - 1;
      for (int64_t p = 0; p < columns; p += N) {
        const int64_t p0 = columns >= N ? HWY_MIN(p, columns - N) : 0;
        const std::byte* from = src + p0 * kSize;
        std::byte* to = dst + p0 * dst_row + q0 * kSize;
        const auto store = [=](int64_t i, V v) HWY_ATTR {
          hn::StoreU(v, d, reinterpret_cast<Lane*>(to + i * dst_row));
        };
        const auto row = [=](int64_t i) HWY_ATTR {
          return reinterpret_cast<const Lane*>(from + offsets[q0 + HWY_MIN(i, last)]);
        };
        if (columns >= N) {
          S::Transpose(
              [=](int64_t i) HWY_ATTR {
                const Lane* r = row(i);
                __builtin_prefetch(reinterpret_cast<const std::byte*>(r) + ahead, 0, 3);
                return hn::LoadU(d, r);
              },
              store);
        } else {
          const auto count = static_cast<size_t>(columns * kSize) / sizeof(Lane);
          S::Transpose([=](int64_t i) HWY_ATTR { return LoadTail(d, row(i), count); }, store);
        }
      }
    }
  }

  static void Interleave(const std::byte* src, const int64_t* offsets, int64_t rows,
                         int64_t columns, std::byte* dst) {
    const D d;
    const U* from[4] = {};
    for (int64_t q = 0; q < rows; ++q) from[q] = reinterpret_cast<const U*>(src + offsets[q]);
    U* to = reinterpret_cast<U*>(dst);
    int64_t p = 0;
    const auto some = [&]() HWY_ATTR {
      const V x = hn::LoadU(d, from[0] + p), y = hn::LoadU(d, from[1] + p);
      if (rows == 2)
        hn::StoreInterleaved2(x, y, d, to);
      else if (rows == 3)
        hn::StoreInterleaved3(x, y, hn::LoadU(d, from[2] + p), d, to);
      else
        hn::StoreInterleaved4(x, y, hn::LoadU(d, from[2] + p), hn::LoadU(d, from[3] + p), d, to);
    };
    for (; p + N <= columns; p += N, to += rows * N) some();
    if (p < columns && columns >= N) {  // the last vector moves back to end with the columns
      to -= rows * (p + N - columns);
      p = columns - N;
      some();
      return;
    }
    for (; p < columns; ++p)
      for (int64_t q = 0; q < rows; ++q) *to++ = from[q][p];
  }

  static void Deinterleave(const std::byte* src, int64_t rows, int64_t columns, std::byte* dst,
                           int64_t dst_row) {
    const D d;
    const U* from = reinterpret_cast<const U*>(src);
    U* to[4] = {};
    for (int64_t p = 0; p < columns; ++p) to[p] = reinterpret_cast<U*>(dst + p * dst_row);
    int64_t q = 0;
    for (; q + N <= rows; q += N, from += columns * N) {
      V x, y, z, w;
      if (columns == 2) {
        hn::LoadInterleaved2(d, from, x, y);
      } else if (columns == 3) {
        hn::LoadInterleaved3(d, from, x, y, z);
      } else {
        hn::LoadInterleaved4(d, from, x, y, z, w);
        hn::StoreU(w, d, to[3] + q);
      }
      hn::StoreU(x, d, to[0] + q);
      hn::StoreU(y, d, to[1] + q);
      if (columns > 2) hn::StoreU(z, d, to[2] + q);
    }
    for (; q < rows; ++q)
      for (int64_t p = 0; p < columns; ++p) to[p][q] = *from++;
  }

  static void Gather(const std::byte* src, const int64_t* offsets, int64_t count, std::byte* dst) {
    U* to = reinterpret_cast<U*>(dst);
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const U a = ElementAt<U>(src + offsets[i]), b = ElementAt<U>(src + offsets[i + 1]);
      const U c = ElementAt<U>(src + offsets[i + 2]), e = ElementAt<U>(src + offsets[i + 3]);
      to[i] = a;
      to[i + 1] = b;
      to[i + 2] = c;
      to[i + 3] = e;
    }
    for (; i < count; ++i) to[i] = ElementAt<U>(src + offsets[i]);
  }

  static void Reverse(const std::byte* src, int64_t count, std::byte* dst) {
    const D d;
    const U* from = reinterpret_cast<const U*>(src);
    U* to = reinterpret_cast<U*>(dst);
    int64_t i = 0;
    if constexpr (kSize > 1 && kSize < 16) {  // Highway has no reversal of bytes
      for (; i + N <= count; i += N)
        hn::StoreU(hn::Reverse(d, hn::LoadU(d, from - i - (N - 1))), d, to + i);
    }
    for (; i < count; ++i) to[i] = from[-i];
  }

  static void Repeat(const std::byte* src, const int64_t* offsets, int64_t count, int64_t n,
                     std::byte* dst) {
    const D d;
    U* to = reinterpret_cast<U*>(dst);
    for (int64_t j = 0; j < count; ++j, to += n) {
      V v;
      if constexpr (kSize == 16)
        v = hn::LoadDup128(d, reinterpret_cast<const Lane*>(src + offsets[j]));
      else
        v = hn::Set(d, ElementAt<U>(src + offsets[j]));
      for (int64_t i = 0; i < n; i += N) hn::StoreU(v, d, reinterpret_cast<Lane*>(to + i));
    }
  }

  static void Scatter(const std::byte* src, int64_t count, std::byte* dst, int64_t stride) {
    const U* from = reinterpret_cast<const U*>(src);
    for (int64_t i = 0; i < count; ++i) std::memcpy(dst + i * stride, from + i, sizeof(U));
  }
};

// Segments of n bytes, sizeof(Piece) <= n <= 2 sizeof(Piece): two pieces that may overlap.
template <class Piece>
void CopyInTwo(const std::byte* src, const int64_t* offsets, int64_t count, int64_t n,
               std::byte* dst) {
  const auto second = n - static_cast<int64_t>(sizeof(Piece));
  for (int64_t j = 0; j < count; ++j, dst += n) {
    const std::byte* from = src + offsets[j];
    Piece first, last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + second, sizeof last);
    std::memcpy(dst, &first, sizeof first);
    std::memcpy(dst + second, &last, sizeof last);
  }
}

// Segments of n bytes, n <= kWidth: a load and a store of so many.
template <int64_t kWidth>
void CopyInOne(const std::byte* src, const int64_t* offsets, int64_t count, int64_t n,
               std::byte* dst) {
  const hn::CappedTag<uint8_t, kWidth> d;
  const auto mask = hn::FirstN(d, static_cast<size_t>(n));
  for (int64_t j = 0; j < count; ++j, dst += n) {
    const auto v = hn::MaskedLoad(mask, d, reinterpret_cast<const uint8_t*>(src + offsets[j]));
    hn::StoreU(v, d, reinterpret_cast<uint8_t*>(dst));
  }
}

// Segments of less than 64 bytes; up to 64 are written past the last.
void CopyShortSegments(const std::byte* src, const int64_t* offsets, int64_t count, int64_t n,
                       std::byte* dst) {
#if HWY_TARGET <= HWY_AVX3  // a masked load never touches what it leaves out
  if (n == 4 || n == 8) return CopyInTwo<uint32_t>(src, offsets, count, n, dst);
  if (n <= 16) return CopyInOne<16>(src, offsets, count, n, dst);
  if (n <= 32) return CopyInOne<32>(src, offsets, count, n, dst);
  CopyInOne<64>(src, offsets, count, n, dst);
#else
  if (n > 32) return CopyInTwo<std::array<uint64_t, 4> >(src, offsets, count, n, dst);
  if (n > 16) return CopyInTwo<std::array<uint64_t, 2> >(src, offsets, count, n, dst);
  if (n > 8) return CopyInTwo<uint64_t>(src, offsets, count, n, dst);
  if (n > 4) return CopyInTwo<uint32_t>(src, offsets, count, n, dst);
  if (n > 1) return CopyInTwo<uint16_t>(src, offsets, count, n, dst);
  CopyInTwo<uint8_t>(src, offsets, count, n, dst);
#endif
}

using Bytes = hn::ScalableTag<uint8_t>;
HWY_INLINE hn::Vec<Bytes> LoadBytes(const std::byte* p) {
  return hn::LoadU(Bytes(), reinterpret_cast<const uint8_t*>(p));
}

void CopySegments(const std::byte* src, const int64_t* offsets, int64_t count, int64_t n,
                  std::byte* dst) {
  constexpr int64_t N = hn::MaxLanes(Bytes());
  if (n < 64) return CopyShortSegments(src, offsets, count, n, dst);
  const auto store = [](hn::Vec<Bytes> v, std::byte* to)
                         HWY_ATTR { hn::StoreU(v, Bytes(), reinterpret_cast<uint8_t*>(to)); };
  for (int64_t j = 0; j < count; ++j, dst += n) {
    const std::byte* from = src + offsets[j];
    for (int64_t at = 0; at + N <= n; at += N) store(LoadBytes(from + at), dst + at);
    store(LoadBytes(from + n - N), dst + n - N);
  }
}

// `left` bytes from the end of one segment and the rest of a vector from the start of the next.
HWY_INLINE hn::Vec<Bytes> LoadAcross(const std::byte* end, int64_t left, const std::byte* next) {
  const Bytes d;
#if HWY_TARGET <= HWY_AVX3
  const auto first = hn::FirstN(d, static_cast<size_t>(left));
  const auto* p = reinterpret_cast<const uint8_t*>(end - left);
  const auto* q = reinterpret_cast<const uint8_t*>(next - left);
  return hn::Or(hn::MaskedLoad(first, d, p), hn::MaskedLoad(hn::Not(first), d, q));
#else
  HWY_ALIGN std::byte lanes[hn::MaxLanes(d)];
  std::memcpy(lanes, end - left, static_cast<size_t>(left));
  std::memcpy(lanes + left, next, sizeof lanes - static_cast<size_t>(left));
  return LoadBytes(lanes);
#endif
}

// What a row of a strip covers, from its first segment on.
struct StripRow {
  int64_t begin, end;
  HWY_INLINE StripRow(const SegmentStrip& s, const std::byte* dst)
      : begin(s.skip + (s.first ? 0 : HWY_MIN(s.rest, ToLine(dst)))),
        end(s.skip + HWY_MIN(s.rest, s.bytes + ToLine(dst + s.bytes))) {}
  static HWY_INLINE int64_t ToLine(const std::byte* p) {
    return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(p) % 64);
  }
};

// load(i) gives vector i of a row, plain(to, bytes) copies its next bytes: up to the first line
// of dst and after the last.
template <class Load, class Plain>
HWY_INLINE void StreamRow(std::byte* dst, int64_t bytes, const Load& load, const Plain& plain) {
  constexpr int64_t N = hn::MaxLanes(Bytes());
  const int64_t head = HWY_MIN(bytes, StripRow::ToLine(dst));
  plain(dst, head);
  const int64_t lines = (bytes - head) / 64 * 64;
  for (int64_t i = head; i < head + lines; i += N)
    hn::Stream(load(), Bytes(), reinterpret_cast<uint8_t*>(dst + i));
  plain(dst + head + lines, bytes - head - lines);
}

// Segments of 64 bytes or more, from the registers.
void StreamLongSegments(const SegmentStrip& s) {
  constexpr int64_t N = hn::MaxLanes(Bytes());
  for (int64_t p = 0; p < s.rows; ++p) {
    std::byte* const dst = s.dst + p * s.dst_row;
    const std::byte* const src = s.src + p * s.src_row;
    const StripRow row(s, dst);
    const int64_t* offset = s.offsets + row.begin / s.n;
    const std::byte* from = src + *offset;
    int64_t at = row.begin % s.n;  // in this segment
    StreamRow(
        dst + row.begin - s.skip, row.end - row.begin,
        [&]() HWY_ATTR {
          if (at + N <= s.n) {
            at += N;
            return LoadBytes(from + at - N);
          }
          const std::byte* const next = src + *++offset;
          const auto v = LoadAcross(from + s.n, s.n - at, next);
          at += N - s.n;
          from = next;
          return v;
        },
        [&](std::byte* to, int64_t left) HWY_ATTR {
          while (left > 0) {
            if (at == s.n) {
              from = src + *++offset;
              at = 0;
            }
            const int64_t some = HWY_MIN(left, s.n - at);
            std::memcpy(to, from + at, static_cast<size_t>(some));
            to += some;
            at += some;
            left -= some;
          }
        });
  }
}

// Shorter ones meet in a buffer, a few rows at a time: a vector of pieces just stored would wait
// for them.
void StreamShortSegments(const SegmentStrip& s) {
  constexpr int64_t N = hn::MaxLanes(Bytes()), kRows = 4;
  constexpr int64_t kPitch = kStripBytes + 5 * 64;  // a segment and a line at the ends, and slack
  HWY_ALIGN std::byte buffer[kRows * kPitch];
  for (int64_t p = 0; p < s.rows; p += kRows) {
    const int64_t some = HWY_MIN(kRows, s.rows - p);
    for (int64_t i = 0; i < some; ++i) {
      const StripRow row(s, s.dst + (p + i) * s.dst_row);
      const int64_t first = row.begin / s.n;
      CopyShortSegments(s.src + (p + i) * s.src_row, s.offsets + first,
                        (row.end - 1) / s.n - first + 1, s.n, buffer + i * kPitch);
    }
    for (int64_t i = 0; i < some; ++i) {
      std::byte* const dst = s.dst + (p + i) * s.dst_row;
      const StripRow row(s, dst);
      const std::byte* from = buffer + i * kPitch + row.begin % s.n;
      StreamRow(
          dst + row.begin - s.skip, row.end - row.begin,
          [&]() HWY_ATTR {
            from += N;
            return LoadBytes(from - N);
          },
          [&](std::byte* to, int64_t left) HWY_ATTR {
            std::memcpy(to, from, static_cast<size_t>(left));
            from += left;
          });
    }
  }
}

void StreamSegments(const SegmentStrip& strip) {
  strip.n < 64 ? StreamShortSegments(strip) : StreamLongSegments(strip);
}

const SegmentKernels* FindSegments() {
  static constexpr SegmentKernels kSegments{&CopySegments, &StreamSegments};
  return &kSegments;
}

template <class U>
constexpr MoveKernels Moves() {
  MoveKernels kernels{&Move<U>::Transpose, nullptr,          nullptr,          &Move<U>::Gather,
                      &Move<U>::Reverse,   &Move<U>::Repeat, &Move<U>::Scatter};
  if constexpr (sizeof(U) < 16) {
    kernels.interleave = &Move<U>::Interleave;
    kernels.deinterleave = &Move<U>::Deinterleave;
  }
  return kernels;
}
template <class U>
constexpr MoveKernels kMoves = Moves<U>();

const MoveKernels* FindMoves(int64_t element_size) {
  switch (element_size) {
    case 1:
      return &kMoves<uint8_t>;
    case 2:
      return &kMoves<uint16_t>;
    case 4:
      return &kMoves<uint32_t>;
    case 8:
      return &kMoves<uint64_t>;
    default:
      return &kMoves<Block16>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tenfold::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenfold::kernels {

HWY_EXPORT(FindMoves);
HWY_EXPORT(FindSegments);

const MoveKernels& move_kernels(std::int64_t element_size) {
  return *HWY_DYNAMIC_DISPATCH(FindMoves)(element_size);
}
const SegmentKernels& segment_kernels() { return *HWY_DYNAMIC_DISPATCH(FindSegments)(); }
void finish_stream() { hwy::FlushStream(); }

}  // namespace tenfold::kernels
#endif
