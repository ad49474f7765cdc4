#include "support/exact_sum.hpp"

#include <algorithm>
#include <cmath>

namespace tenfold::testing {
namespace {

// x = mantissa * 2^exponent with a mantissa below 2^53.
std::uint64_t split(double x, int& exponent) {
  const double fraction = std::frexp(std::fabs(x), &exponent);
  exponent -= 53;
  return static_cast<std::uint64_t>(std::ldexp(fraction, 53));
}

}  // namespace

void ExactSum::add(double x) {
  int exponent = 0;
  const std::uint64_t mantissa = split(x, exponent);
  add_scaled(mantissa, exponent, std::signbit(x));
}

void ExactSum::add_product(double x, double y) {
  int ex = 0, ey = 0;
  const unsigned __int128 mx = split(x, ex), my = split(y, ey);
  add_scaled(mx * my, ex + ey, std::signbit(x) != std::signbit(y));
}

void ExactSum::add(const ExactSum& other) {
  for (int i = 0; i < kDigits; ++i) digits_[i] += other.digits_[i];
}

void ExactSum::add_scaled(unsigned __int128 magnitude, int exponent, bool negative) {
  if (magnitude == 0) return;
  int position = exponent + kBias;  // of the lowest bit; below 0 only for bits that are all zero
  if (position < 0) {
    magnitude >>= -position;
    position = 0;
  }
  int digit = position / 32;
  const int shift = position % 32;
  // The lowest piece has room for 32 - shift bits, the others for 32.
  const std::uint64_t low_mask = (std::uint64_t{1} << (32 - shift)) - 1;
  std::uint64_t piece = (static_cast<std::uint64_t>(magnitude) & low_mask) << shift;
  magnitude >>= 32 - shift;
  for (;;) {
    digits_[digit++] +=
        negative ? -static_cast<std::int64_t>(piece) : static_cast<std::int64_t>(piece);
    if (magnitude == 0) return;
    piece = static_cast<std::uint32_t>(magnitude);
    magnitude >>= 32;
  }
}

long double ExactSum::value() const {
  std::array<std::int64_t, kDigits> digits = digits_;
  const auto carry = [&] {  // every digit but the last into 0 … 2^32-1
    for (int i = 0; i + 1 < kDigits; ++i) {
      digits[i + 1] += digits[i] >> 32;
      digits[i] &= 0xFFFFFFFF;
    }
  };
  carry();
  const bool negative = digits[kDigits - 1] < 0;
  if (negative) {
    for (auto& d : digits) d = -d;
    carry();
  }
  int top = kDigits - 1;
  while (top > 0 && digits[top] == 0) --top;
  long double value = 0;
  for (int i = std::max(0, top - 3); i <= top; ++i)
    value += std::ldexp(static_cast<long double>(digits[i]), 32 * i - kBias);
  return negative ? -value : value;
}

}  // namespace tenfold::testing
