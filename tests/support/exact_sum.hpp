// Sums of doubles and of products of two doubles without any rounding: one fixed-point number wide
// enough for every exponent. What float results are measured against. Called by the checks of the
// whole-library tests.
#pragma once

#include <array>
#include <cstdint>

namespace tenfold::testing {

class ExactSum {
 public:
  void add(double x);                    // finite
  void add_product(double x, double y);  // finite
  void add(const ExactSum& other);
  // The sum, rounded to long double (the first 64 bits and a little more are right).
  long double value() const;
  bool is_zero() const { return value() == 0; }

 private:
  void add_scaled(unsigned __int128 magnitude, int exponent, bool negative);

  // Digit i weighs 2^(32 i - kBias). A digit holds a signed sum of 32-bit pieces: carries are left
  // in it, room for 2^31 of them, until the value is read.
  static constexpr int kBias = 2176, kDigits = 140;
  std::array<std::int64_t, kDigits> digits_{};
};

}  // namespace tenfold::testing
