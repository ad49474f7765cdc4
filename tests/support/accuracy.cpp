#include "support/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/exact_sum.hpp"

namespace tenfold::testing {
namespace {

// The type of the elements (t) and of the arithmetic (acc): unit roundoff, largest finite value,
// least positive one.
struct Format {
  double u, largest, least;
};
Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return {0x1p-11, 65504, 0x1p-24};
    case DType::kBF16:
      return {0x1p-8, 0x1.FEp127, 0x1p-133};
    case DType::kF32:
      return {0x1p-24, 0x1.FFFFFEp127, 0x1p-149};
    default:
      return {0x1p-53, std::numeric_limits<double>::max(), 0x1p-1074};
  }
}

struct Case {
  std::span<const double> x;
  double depth;
  Format t, acc;
  double got;
};

std::string verdict(const Case& c, long double exact, long double error, long double tolerance) {
  if (error <= tolerance) return {};
  return fmt::format("got {:.17g}, exact {:.17g}, error {:.3g}, allowed {:.3g}", c.got,
                     static_cast<double>(exact), static_cast<double>(error),
                     static_cast<double>(tolerance));
}

// An infinity is right exactly where the value, give or take the tolerance, rounds to it.
std::string verdict_infinite(const Case& c, long double exact, long double tolerance) {
  const long double edge = c.t.largest * (1.0L + c.t.u / 2);
  const bool right = c.got > 0 ? exact + tolerance >= edge : exact - tolerance <= -edge;
  return right ? std::string() : verdict(c, exact, INFINITY, tolerance);
}

long double tolerance_of_sum(const Case& c, long double magnitude) {
  return c.depth * c.acc.u * magnitude;
}

// Sum, Mean, L1, SumSquare: the exact terms are at hand.
std::string check_sum(ReduceOp op, const Case& c) {
  ExactSum sum, magnitude;
  bool negative_zeros = true;
  for (double v : c.x) {
    if (op == ReduceOp::kSumSquare) sum.add_product(v, v);
    if (op == ReduceOp::kL1) sum.add(std::fabs(v));
    if (op == ReduceOp::kSum || op == ReduceOp::kMean) sum.add(v);
    magnitude.add(op == ReduceOp::kSumSquare ? v * v : std::fabs(v));
    negative_zeros &= v == 0 && std::signbit(v);
  }
  const long double n = op == ReduceOp::kMean ? static_cast<long double>(c.x.size()) : 1;
  const long double exact = sum.value() / n, size = magnitude.value();
  const bool order_decides = op == ReduceOp::kSum && size > c.acc.largest;
  if (order_decides) return {};
  long double tolerance = tolerance_of_sum(c, size) / n + c.t.u * std::fabs(exact) + c.t.least;
  if (op == ReduceOp::kSumSquare)  // each square may fall below the least number
    tolerance += c.acc.least * static_cast<long double>(c.x.size()) / 2;
  if (std::isnan(c.got)) return verdict(c, exact, INFINITY, tolerance);
  if (std::isinf(c.got)) return verdict_infinite(c, exact, tolerance);
  ExactSum rest;
  rest.add(sum);
  rest.add_product(-c.got, static_cast<double>(n));
  if (sum.is_zero() && c.got == 0 &&
      std::signbit(c.got) != (negative_zeros && op != ReduceOp::kL1 && op != ReduceOp::kSumSquare))
    return fmt::format("zero of the wrong sign: {}", c.got);
  return verdict(c, exact, std::fabs(rest.value()) / n, tolerance);
}

std::string check_l2(const Case& c) {
  ExactSum squares;
  for (double v : c.x) squares.add_product(v, v);
  const long double exact = std::sqrt(squares.value());
  const long double tolerance = ((c.depth / 2 + 2) * c.acc.u + c.t.u) * exact + c.t.least;
  if (std::isnan(c.got)) return verdict(c, exact, INFINITY, tolerance);
  if (std::isinf(c.got)) return verdict_infinite(c, exact, tolerance);
  if (exact == 0) return verdict(c, exact, std::fabs(c.got), 0);
  squares.add_product(-c.got, c.got);
  // y - s = (y^2 - s^2) / (y + s)
  return verdict(c, exact, std::fabs(squares.value()) / (exact + std::fabs(c.got)), tolerance);
}

std::string check_prod(const Case& c) {
  long double product = 1, above = 1, below = 1;  // of the factors on each side of 1
  for (double v : c.x) {
    product *= v;
    (std::fabs(v) > 1 ? above : below) *= v == 0 ? 1 : std::fabs(v);
  }
  const long double least_normal = c.acc.least / c.acc.u / 2;
  if (above > c.acc.largest || below < least_normal) return {};  // the order decides
  const long double size = std::fabs(product);
  // Every factor but the first brings a rounding, whatever the shape of the tree; they add up.
  const long double tolerance =
      (static_cast<long double>(c.x.size()) * c.acc.u + c.t.u) * size + c.t.least;
  if (std::isnan(c.got)) return verdict(c, product, INFINITY, tolerance);
  if (std::isinf(c.got)) return verdict_infinite(c, product, tolerance);
  return verdict(c, product, std::fabs(c.got - product), tolerance);
}

std::string check_log_sum(const Case& c) {
  ExactSum sum;
  long double size = 0;
  bool zeros = true;
  for (double v : c.x) {
    sum.add(v);
    size += std::fabs(v);
    zeros &= v == 0;
  }
  const long double s = sum.value(), slack = tolerance_of_sum(c, size);
  if (zeros) return c.got == -INFINITY ? "" : verdict(c, -INFINITY, INFINITY, 0);
  if (size > c.acc.largest || slack >= std::fabs(s)) return {};  // rounding decides
  if (s < 0) return std::isnan(c.got) ? "" : verdict(c, NAN, INFINITY, 0);
  const long double exact = std::log(s);
  const long double tolerance = -std::log1p(-slack / s) + 8 * c.acc.u * std::fabs(exact) +
                                c.t.u * std::fabs(exact) + c.t.least;
  if (!std::isfinite(c.got)) return verdict(c, exact, INFINITY, tolerance);
  return verdict(c, exact, std::fabs(c.got - exact), tolerance);
}

std::string check_log_sum_exp(const Case& c) {
  long double top = *std::max_element(c.x.begin(), c.x.end()), sum = 0;
  for (double v : c.x) sum += std::exp(v - top);
  const long double exact = top + std::log(sum);
  const long double tolerance = (c.depth + 8) * c.acc.u +
                                4 * c.acc.u * (std::fabs(top) + std::log(sum)) +
                                c.t.u * std::fabs(exact) + c.t.least;
  if (std::isnan(c.got)) return verdict(c, exact, INFINITY, tolerance);
  if (std::isinf(c.got)) return verdict_infinite(c, exact, tolerance);
  return verdict(c, exact, std::fabs(c.got - exact), tolerance);
}

}  // namespace

double tree_depth(const Dims& extents) {
  const auto depth = [](double n) { return std::min(n, 35 + std::log2(std::max(1.0, n / 512))); };
  double n = 1, nested = 0;
  for (std::int64_t extent : extents) {
    n *= static_cast<double>(extent);
    nested += depth(static_cast<double>(extent));
  }
  return std::max(depth(n), nested);
}

std::string inaccuracy(ReduceOp op, std::span<const double> x, double depth, DType dtype,
                       double got) {
  const Format t = format_of(dtype);
  const Format acc = format_of(size_of(dtype) == 2 ? DType::kF32 : dtype);
  const Case c{x, depth, t, acc, got};
  switch (op) {
    case ReduceOp::kL2:
      return check_l2(c);
    case ReduceOp::kProd:
      return check_prod(c);
    case ReduceOp::kLogSum:
      return check_log_sum(c);
    case ReduceOp::kLogSumExp:
      return check_log_sum_exp(c);
    default:
      return check_sum(op, c);
  }
}

}  // namespace tenfold::testing
