#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "standards/type_names_testing.hpp"
#include "tenfold/error.hpp"
#include "tenfold/standards.hpp"

namespace tenfold {
namespace {

using testing::Names;
using testing::names_of;

// What the ONNX documents say, written as what each opset changed rather than as rows.
struct History {
  std::vector<int> versions;
  std::map<int, Names> adds;
  ContractionForm form;
};

const Names kIeee = {"f16", "f32", "f64"}, kWideIntegers = {"i32", "i64", "u32", "u64"};

std::map<std::string, History> histories() {
  Names numbers = kIeee;
  numbers.insert(kWideIntegers.begin(), kWideIntegers.end());
  numbers.insert({"i8", "i16", "u8", "u16"});
  return {
      {"Einsum", {{12, 28}, {{12, numbers}, {28, {"bf16"}}}, ContractionForm::kEquation}},
      {"MatMul",
       {{1, 9, 13}, {{1, kIeee}, {9, kWideIntegers}, {13, {"bf16"}}}, ContractionForm::kMatrices}},
      {"Gemm",
       {{1, 6, 7, 9, 11, 13},
        {{1, kIeee}, {9, kWideIntegers}, {13, {"bf16"}}},
        ContractionForm::kAffine}},
  };
}

template <class F>
std::string error_of(ErrorCode code, F action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(name_of(error.code()), name_of(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error; expected " << name_of(code);
  return {};
}

TEST(Contractions, OnnxRowsOfEveryOpset) {
  for (const auto& [name, history] : histories())
    for (int opset = history.versions[0]; opset <= kNewestOnnxOpset; ++opset) {
      SCOPED_TRACE(name + " opset " + std::to_string(opset));
      Names types;
      for (const auto& [from, added] : history.adds)
        if (from <= opset) types.insert(added.begin(), added.end());
      int since = 0;
      for (int version : history.versions)
        if (version <= opset) since = version;
      const ContractionRow& row = find_contraction(Dialect::kOnnx, name, opset);
      EXPECT_EQ(row.name, name);
      EXPECT_EQ(row.since_version, since);
      EXPECT_EQ(row.form, history.form);
      EXPECT_EQ(names_of(row.types), types);
      const AddendForm addend = name != "Gemm" ? AddendForm::kNone
                                : opset < 7    ? AddendForm::kFlagged
                                : opset < 11   ? AddendForm::kRequired
                                               : AddendForm::kOptional;
      EXPECT_EQ(row.addend, addend);
    }
}

TEST(Contractions, CountOfRows) {
  std::map<Dialect, int> count;
  for (const ContractionRow& row : contraction_rows()) ++count[row.dialect];
  EXPECT_EQ(count[Dialect::kOnnx], 11);
  EXPECT_EQ(count[Dialect::kOpenVino], 2);
  EXPECT_EQ(count[Dialect::kNumpy], 1);
}

TEST(Contractions, OfTheOtherDialects) {
  EXPECT_EQ(find_contraction(Dialect::kOpenVino, "Einsum", 0).since_version, 7);
  EXPECT_EQ(find_contraction(Dialect::kOpenVino, "MatMul", 1).form, ContractionForm::kMatrices);
  for (const char* name : {"Einsum", "MatMul"}) {
    const DTypeSet types = find_contraction(Dialect::kOpenVino, name, 0).types;
    EXPECT_TRUE(types.contains(DType::kBF16)) << name;
    EXPECT_TRUE(types.contains(DType::kI8)) << name;
    EXPECT_FALSE(types.contains(DType::kBool)) << name;
  }
  EXPECT_TRUE(find_contraction(Dialect::kNumpy, "einsum", 3).types.contains(DType::kBool));
}

TEST(Contractions, AreFoundByTheirShortNamesAtTheNewestVersionToo) {
  EXPECT_EQ(find_contraction(Dialect::kOnnx, "gemm", 0).since_version, 13);
  EXPECT_EQ(find_contraction(Dialect::kOnnx, "einsum", 27).since_version, 12);
  EXPECT_EQ(name_of(ContractionForm::kMatrices), "matmul");
}

TEST(Contractions, ThatDoNotExistAreErrors) {
  const auto find = [](Dialect dialect, const char* name, int version) {
    return [=] { find_contraction(dialect, name, version); };
  };
  EXPECT_NE(error_of(ErrorCode::kUnknownOperator, find(Dialect::kOnnx, "Ensum", 12)).find("Einsum"),
            std::string::npos);
  EXPECT_NE(
      error_of(ErrorCode::kUnknownOperator, find(Dialect::kOnnx, "ReduceSum", 12)).find("one of"),
      std::string::npos);
  error_of(ErrorCode::kUnsupportedVersion, find(Dialect::kOnnx, "Einsum", 11));
  error_of(ErrorCode::kUnsupportedVersion, find(Dialect::kOnnx, "Einsum", 29));
  error_of(ErrorCode::kUnsupportedVersion, find(Dialect::kOpenVino, "MatMul", 2));
  error_of(ErrorCode::kUnknownOperator, find(Dialect::kOpenVino, "Gemm", 1));
}

TEST(Contractions, CheckTheTypesOfTheirOperands) {
  const auto check = [](Dialect dialect, int version, std::initializer_list<DType> types) {
    std::vector<TensorView> operands;
    for (DType type : types) operands.emplace_back(nullptr, type, Dims{2});
    check_operand_types(find_contraction(dialect, "einsum", version), operands);
  };
  EXPECT_NO_THROW(check(Dialect::kOnnx, 12, {DType::kI8, DType::kI8, DType::kI8}));
  EXPECT_NO_THROW(check(Dialect::kNumpy, 0, {DType::kBool, DType::kF64}));
  const std::string old =
      error_of(ErrorCode::kTypeNotAllowed, [&] { check(Dialect::kOnnx, 12, {DType::kBF16}); });
  EXPECT_NE(old.find("[Einsum-12]"), std::string::npos) << old;
  EXPECT_NE(old.find("from opset 28"), std::string::npos) << old;
  error_of(ErrorCode::kTypeNotAllowed, [&] { check(Dialect::kOpenVino, 0, {DType::kBool}); });
  const std::string mixed = error_of(ErrorCode::kTypeMismatch, [&] {
    check(Dialect::kOnnx, 28, {DType::kF32, DType::kF32, DType::kF64});
  });
  EXPECT_NE(mixed.find("operand 2"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("expected float32, got float64"), std::string::npos) << mixed;
}

}  // namespace
}  // namespace tenfold
