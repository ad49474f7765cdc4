// The one error type of the library: a stable code, who refused, what was expected, what was got,
// and for a mistake in an equation the place. Thrown by plans, loaders and readers; never by a
// running kernel. Caught by the command line and by users.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/export.hpp"

namespace tenfold {

// What kind of mistake it was; the command line derives its exit code from it.
enum class ErrorKind {
  kUsage,        // the call itself is wrong: unknown name, bad option
  kInvalid,      // bad model, bad data, or arguments that contradict each other
  kUnsupported,  // well-formed, but Tenfold does not do it
  kMemory,       // memory could not be had
};

// X(enumerator, kind, stable name)
#define TENFOLD_ERROR_CODES(X)                                  \
  X(kAxisOutOfRange, kInvalid, "axis-out-of-range")             \
  X(kDuplicateAxis, kInvalid, "duplicate-axis")                 \
  X(kAxesRank, kInvalid, "axes-rank")                           \
  X(kAxesType, kInvalid, "axes-type")                           \
  X(kAxesPlace, kInvalid, "axes-place")                         \
  X(kAttributeUnknown, kInvalid, "attribute-unknown")           \
  X(kAttributeValue, kInvalid, "attribute-value")               \
  X(kTypeNotAllowed, kInvalid, "type-not-allowed")              \
  X(kEmptyAxis, kInvalid, "empty-axis")                         \
  X(kRankZero, kInvalid, "rank-zero")                           \
  X(kRankTooLarge, kInvalid, "rank-too-large")                  \
  X(kSizeOverflow, kInvalid, "size-overflow")                   \
  X(kShapeMismatch, kInvalid, "shape-mismatch")                 \
  X(kTypeMismatch, kInvalid, "type-mismatch")                   \
  X(kNullData, kInvalid, "null-data")                           \
  X(kOverlap, kInvalid, "overlap")                              \
  X(kEquationSyntax, kInvalid, "equation-syntax")               \
  X(kEquationOperands, kInvalid, "equation-operands")           \
  X(kEquationRank, kInvalid, "equation-rank")                   \
  X(kEquationSize, kInvalid, "equation-size")                   \
  X(kEquationOutput, kInvalid, "equation-output")               \
  X(kUnknownOperator, kUsage, "unknown-operator")               \
  X(kUnknownName, kUsage, "unknown-name")                       \
  X(kBadArgument, kUsage, "bad-argument")                       \
  X(kUnsupportedOperator, kUnsupported, "unsupported-operator") \
  X(kUnsupportedVersion, kUnsupported, "unsupported-version")   \
  X(kUnsupportedFeature, kUnsupported, "unsupported-feature")   \
  X(kMalformedModel, kInvalid, "malformed-model")               \
  X(kMalformedData, kInvalid, "malformed-data")                 \
  X(kMissingInput, kInvalid, "missing-input")                   \
  X(kFile, kInvalid, "file")                                    \
  X(kOutOfMemory, kMemory, "out-of-memory")

enum class ErrorCode {
#define X(id, kind, name) id,
  TENFOLD_ERROR_CODES(X)
#undef X
};

TENFOLD_API std::string_view name_of(ErrorCode code);  // "axis-out-of-range"
TENFOLD_API ErrorKind kind_of(ErrorCode code);

// A part of an equation that an error points at. Operands and axes count from 0.
struct ErrorMark {
  int offset = 0, length = 0;   // bytes of the equation; length 0: where something is missing
  int operand = -1, axis = -1;  // -1: none, as in the output
  std::int64_t size = -1;       // the number that does not fit there: the extent of the axis, the
                                // rank of the operand, the axes of its ellipsis; -1: none
  std::string note = {};        // what stands under the caret
};

struct ErrorPlace {
  std::string equation;  // as it was given; the interleaved form reads "[0, 1], [1, 2] -> [0, 2]"
  std::vector<ErrorMark> marks;
  std::string label = {};  // the one that the mistake is about, if any
};

// The equation with a caret under each mark and the notes below, each line indented by two blanks;
// of a long equation only what is near the marks:
//
//       ijk,kl->ijl
//         ^ ^
//         | size 3 in operand 1, axis 0, shape (3, 5)
//         size 4 in operand 0, axis 2, shape (2, 3, 4)
TENFOLD_API std::string picture_of(const ErrorPlace& place);

// what() reads "[ReduceMax-18] axis out of range: expected -2 .. 1 (rank 2), got 3"; with a place,
// its picture follows on the next lines.
class TENFOLD_API Error : public std::runtime_error {
 public:
  // `where`: operator and version, node or file; `what`: the mistake in a few words.
  Error(ErrorCode code, std::string where, std::string what, std::string expected = {},
        std::string got = {});
  Error(ErrorCode code, std::string where, std::string what, std::string expected, std::string got,
        ErrorPlace place);

  ErrorCode code() const { return code_; }
  const std::string& where() const { return where_; }
  const std::string& expected() const { return expected_; }
  const std::string& got() const { return got_; }
  // Where in the equation; null for other mistakes. Lives as long as the error or a copy of it.
  const ErrorPlace* place() const { return place_.get(); }

  // The same error seen from one level up: `outer` is put before `where`.
  Error within(std::string_view outer) const;

 private:
  Error(ErrorCode code, std::string where, std::string what, std::string expected, std::string got,
        std::shared_ptr<const ErrorPlace> place);

  ErrorCode code_;
  std::string where_, mistake_, expected_, got_;
  std::shared_ptr<const ErrorPlace> place_;
};

}  // namespace tenfold
