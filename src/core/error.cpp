#include "tenfold/error.hpp"

#include <utility>

namespace tenfold {
namespace {

struct CodeRow {
  ErrorKind kind;
  std::string_view name;
};
constexpr CodeRow kCodes[] = {
#define X(id, kind, name) {ErrorKind::kind, name},
    TENFOLD_ERROR_CODES(X)
#undef X
};

std::string render(const std::string& where, const std::string& mistake,
                   const std::string& expected, const std::string& got, const ErrorPlace* place) {
  std::string text;
  if (!where.empty()) text += "[" + where + "] ";
  text += mistake;
  if (!expected.empty()) text += ": expected " + expected;
  if (!got.empty()) text += (expected.empty() ? ": got " : ", got ") + got;
  if (place != nullptr) text += '\n' + picture_of(*place);
  return text;
}

}  // namespace

std::string_view name_of(ErrorCode code) { return kCodes[static_cast<int>(code)].name; }
ErrorKind kind_of(ErrorCode code) { return kCodes[static_cast<int>(code)].kind; }

Error::Error(ErrorCode code, std::string where, std::string what, std::string expected,
             std::string got)
    : Error(code, std::move(where), std::move(what), std::move(expected), std::move(got),
            std::shared_ptr<const ErrorPlace>()) {}

Error::Error(ErrorCode code, std::string where, std::string what, std::string expected,
             std::string got, ErrorPlace place)
    : Error(code, std::move(where), std::move(what), std::move(expected), std::move(got),
            std::make_shared<const ErrorPlace>(std::move(place))) {}

Error::Error(ErrorCode code, std::string where, std::string what, std::string expected,
             std::string got, std::shared_ptr<const ErrorPlace> place)
    : std::runtime_error(render(where, what, expected, got, place.get())),
      code_(code),
      where_(std::move(where)),
      mistake_(std::move(what)),
      expected_(std::move(expected)),
      got_(std::move(got)),
      place_(std::move(place)) {}

Error Error::within(std::string_view outer) const {
  std::string where(outer);
  if (!where_.empty()) where += ": " + where_;
  return {code_, std::move(where), mistake_, expected_, got_, place_};
}

}  // namespace tenfold
