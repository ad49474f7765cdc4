// The one error type of the library: a stable code, who refused, what was expected, what was got.
// Thrown by plans, loaders and readers; never by a running kernel. Caught by the command line and
// by users.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

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

// what() reads "[ReduceMax-18] axis out of range: expected -2 .. 1 (rank 2), got 3".
class TENFOLD_API Error : public std::runtime_error {
 public:
  // `where`: operator and version, node or file; `what`: the mistake in a few words.
  Error(ErrorCode code, std::string where, std::string what, std::string expected = {},
        std::string got = {});

  ErrorCode code() const { return code_; }
  const std::string& where() const { return where_; }
  const std::string& expected() const { return expected_; }
  const std::string& got() const { return got_; }

  // The same error seen from one level up: `outer` is put before `where`.
  Error within(std::string_view outer) const;

 private:
  ErrorCode code_;
  std::string where_, mistake_, expected_, got_;
};

}  // namespace tenfold
