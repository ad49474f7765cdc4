// Every element type, the types that mixed operands meet in, and the types of each dialect.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include "support/check.hpp"
#include "support/einsum.hpp"
#include "tenfold/error.hpp"

namespace tenfold::testing {
namespace {

constexpr const char* kEquations[] = {
    "ab,bc->ac", "ab,cb->ca",  "eab,ebc->eac", "ab,b->a",   "ab,a->b",      "a,a->", "ab,ab->a",
    "a,b->ab",   "ab,ab->ab",  "ab->ba",       "ab->b",     "ab->a",        "ab->",  "aa->a",
    "aa->",      "ab,ab,b->a", "ab,bc,cd->ad", "abb,bc->a", "ab,ac,ad->bcd"};

class EinsumTypes : public ::testing::TestWithParam<DType> {};

TEST_P(EinsumTypes, GiveRightValues) {
  Random random(3);
  for (const char* equation : kEquations)
    for (const auto& sizes :
         {std::vector<std::int64_t>{3, 4, 5, 2}, {16, 33, 20, 7}, {1, 70, 9, 3}}) {
      const auto operands = random_operands(equation, GetParam(), sizes, random);
      const auto views = views_of(operands);
      const Tensor got = run_plan({.equation = equation}, views);
      ASSERT_EQ(got.dtype(), GetParam());
      EXPECT_EQ(mismatch(equation, views, got), "");
      EXPECT_EQ(difference(einsum({.equation = equation}, views), got), "")
          << "one call and a plan";
    }
}

INSTANTIATE_TEST_SUITE_P(Types, EinsumTypes, ::testing::ValuesIn(einsum_dtypes()),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(EinsumNumpyTypes, MeetByNumPysRules) {
  using enum DType;
  struct Meeting {
    DType a, b, together;
  };
  const Meeting meetings[] = {
      {kBool, kI8, kI8},     {kBool, kF16, kF16},  {kI8, kU8, kI16},    {kI8, kU16, kI32},
      {kI16, kU32, kI64},    {kI32, kU64, kF64},   {kI8, kI64, kI64},   {kU8, kU32, kU32},
      {kI8, kF16, kF16},     {kI16, kF16, kF32},   {kI16, kF32, kF32},  {kI32, kF32, kF64},
      {kF32, kF64, kF64},    {kF16, kBF16, kF32},  {kBF16, kF32, kF32}, {kF32, kC64, kC64},
      {kF64, kC64, kC128},   {kI32, kC64, kC128},  {kI16, kC64, kC64},  {kC64, kC128, kC128},
      {kBF16, kBF16, kBF16}, {kBool, kBool, kBool}};
  Random random(4);
  for (const Meeting& m : meetings)
    for (const char* equation : {"ab,bc->ac", "ab,ab->b", "ab,ab->ab"}) {
      std::vector<Tensor> operands;
      operands.push_back(random_operand(m.a, {4, 4}, random));
      operands.push_back(random_operand(m.b, {4, 4}, random));
      for (int round = 0; round < 2; ++round) {
        const auto views = views_of(operands);
        const Tensor got = run_plan({.equation = equation}, views);
        EXPECT_EQ(name_of(got.dtype()), name_of(m.together))
            << name_of(m.a) << " and " << name_of(m.b);
        EXPECT_EQ(mismatch(equation, views, got), "");
        std::swap(operands[0], operands[1]);
      }
    }
}

TEST(EinsumNumpyTypes, AGivenTypeIsThatOfTheOperandsAndTheResult) {
  Random random(5);
  for (const auto& [from, to] : {std::pair{DType::kI8, DType::kI64},
                                 {DType::kI8, DType::kF32},
                                 {DType::kF16, DType::kF64},
                                 {DType::kBool, DType::kI32},
                                 {DType::kU8, DType::kI16},
                                 {DType::kF32, DType::kC64}})
    for (const char* equation : {"ab,bc->ac", "ab->a", "ab->ba", "a,ab,b->"}) {
      const auto operands =
          random_operands(equation, from, std::vector<std::int64_t>{5, 6, 7}, random);
      const auto views = views_of(operands);
      const Tensor got = run_plan({.equation = equation, .dtype = to}, views);
      EXPECT_EQ(got.dtype(), to);
      EXPECT_EQ(mismatch(equation, views, got), "") << "to " << name_of(to);
    }
}

void expect_refused(const EinsumSpec& spec, std::initializer_list<DType> types, ErrorCode code) {
  std::vector<TensorView> views;
  for (const DType dtype : types) views.emplace_back(nullptr, dtype, Dims{2, 2});
  try {
    const EinsumPlan plan(spec, views);
    ADD_FAILURE() << "no error for " << name_of(*types.begin());
  } catch (const Error& e) {
    EXPECT_EQ(name_of(e.code()), name_of(code)) << e.what();
    EXPECT_FALSE(e.where().empty()) << e.what();
    EXPECT_FALSE(e.expected().empty()) << e.what();
    EXPECT_FALSE(e.got().empty()) << e.what();
  }
}

// True when a product of two operands of the type can be planned.
bool allows(Dialect dialect, int version, DType dtype) {
  const TensorView x(nullptr, dtype, Dims{2, 2});
  try {
    const EinsumPlan plan({.equation = "ij,jk->ik", .dialect = dialect, .version = version},
                          {x, x});
    return plan.output_dtype() == dtype;
  } catch (const Error&) {
    return false;
  }
}

TEST(EinsumStandardTypes, AreThoseOfTheDocuments) {
  for (const DType dtype : einsum_dtypes()) {
    const bool number = dtype != DType::kBool && !is_complex(dtype);
    EXPECT_EQ(allows(Dialect::kOnnx, 12, dtype), number && dtype != DType::kBF16) << name_of(dtype);
    EXPECT_EQ(allows(Dialect::kOnnx, 27, dtype), number && dtype != DType::kBF16) << name_of(dtype);
    EXPECT_EQ(allows(Dialect::kOnnx, 28, dtype), number) << name_of(dtype);
    EXPECT_EQ(allows(Dialect::kOpenVino, 7, dtype), number) << name_of(dtype);
    EXPECT_TRUE(allows(Dialect::kNumpy, 0, dtype)) << name_of(dtype);
  }
}

TEST(EinsumStandardTypes, AreOneForAllOperands) {
  for (const Dialect dialect : {Dialect::kOnnx, Dialect::kOpenVino}) {
    const EinsumSpec spec{.equation = "ij,jk->ik", .dialect = dialect};
    expect_refused(spec, {DType::kF32, DType::kF64}, ErrorCode::kTypeMismatch);
    expect_refused(spec, {DType::kI32, DType::kI64}, ErrorCode::kTypeMismatch);
    expect_refused(spec, {DType::kBool, DType::kBool}, ErrorCode::kTypeNotAllowed);
    expect_refused(spec, {DType::kC64, DType::kC64}, ErrorCode::kTypeNotAllowed);
  }
}

TEST(EinsumNumpyTypes, NothingLosesItsImaginaryPart) {
  expect_refused({.equation = "ij,jk->ik", .dtype = DType::kF32}, {DType::kC64, DType::kF32},
                 ErrorCode::kTypeNotAllowed);
}

}  // namespace
}  // namespace tenfold::testing
