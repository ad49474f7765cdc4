#include "io/safetensors.hpp"

#include <array>

#include "io/io_testing.hpp"
#include "io/members.hpp"

namespace tenfold::io::testing {
namespace {

std::string safetensors_file(std::string_view header, std::string_view data = {}) {
  return le(header.size(), 8) + std::string(header) + std::string(data);
}

Tensor from_safetensors(std::string_view bytes, std::string member = {}) {
  return read_safetensors(as_bytes(bytes), {.member = std::move(member)});
}

TEST(Safetensors, EveryTypeAndShapeComesBack) {
  for (const DType dtype : all_dtypes())
    for (const Dims& shape : sample_shapes()) {
      if (dtype == DType::kC128) continue;  // the format does not have it
      SCOPED_TRACE(std::string(name_of(dtype)) + to_string(shape));
      const Tensor tensor = sample(dtype, shape);
      const auto bytes = write_safetensors(std::array{NamedView{"x", tensor}});
      expect_same(read_safetensors(bytes), tensor);
    }
}

TEST(Safetensors, DoesNotWriteATypeThatTheFormatDoesNotHave) {
  const Tensor tensor = sample(DType::kC128, {2});
  expect_error(ErrorCode::kUnsupportedFeature, "[tensor 'x'] the safetensors format has no such",
               [&] {
                 write_safetensors(std::array{NamedView{"x", tensor}});
               });
}

TEST(Safetensors, ReadsATensorByName) {
  const std::string header =
      R"({"__metadata__":{"format":"pt","shape":"no"},)"
      R"("b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},)"
      R"( "a" : { "data_offsets" : [ 0 , 4 ] , "shape" : [ ] , "dtype" : "F32" } }   )";
  const std::string bytes = safetensors_file(header, "\0\0\x80\x3f\7\x8"s);
  expect_values<float>(from_safetensors(bytes, "a"), {}, {1.0f});
  expect_values<std::uint8_t>(from_safetensors(bytes, "b"), {2}, {7, 8});
  expect_error(ErrorCode::kUnknownName, "the name of one: 'b', 'a', got none",
               [&] { from_safetensors(bytes); });
  expect_error(ErrorCode::kUnknownName, "got 'weight'", [&] { from_safetensors(bytes, "weight"); });
}

TEST(Safetensors, SeveralAreWritten) {
  const Tensor a = sample(DType::kF64, {3}), b = sample(DType::kBool, {5}),
               c = sample(DType::kI16, {2});
  const std::array tensors{NamedView{"z", a}, NamedView{"a.npy", b}, NamedView{"a", c}};
  const auto bytes = write_safetensors(tensors);
  EXPECT_EQ((bytes.size() - 24 - 5 - 4) % 8, 0u);
  expect_same(read_safetensors(bytes, {.member = "z"}), a);
  expect_same(read_safetensors(bytes, {.member = "a.npy"}), b);
  expect_same(read_safetensors(bytes, {.member = "a"}), c);
}

TEST(Safetensors, EveryCutIsRefused) {
  const Tensor a = sample(DType::kF32, {2, 3}), b = sample(DType::kBool, {3});
  const auto bytes = write_safetensors(std::array{NamedView{"a", a}, NamedView{"b", b}});
  expect_every_cut_refused(as_text(bytes),
                           [](Bytes cut) { read_safetensors(cut, {.member = "a"}); });
}

TEST(Safetensors, BadHeadersAreRefused) {
  for (const char* header : {
           "",
           " {}",
           "[]",
           "{",
           "{}",
           "{}{}",
           "{\"a\"}",
           "{\"a\":1}",
           "{\"a\":null}",
           "{\"a\":true}",
           "{\"a\":[]}",
           "{\"a\":{}}",
           "{\"__metadata__\":1}",
           "{\"__metadata__\":{\"a\":1}}",
           "{\"__metadata__\":{\"a\":[]}}",
           "{\"__metadata__\":{\"a\":{}}}",
           "{\"__metadata__\":{}}",
           R"({"a":{"dtype":"U8","shape":[2]}})",
           R"({"a":{"dtype":"U8","data_offsets":[0,2]}})",
           R"({"a":{"shape":[2],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2],"more":1}})",
           R"({"a":{"dtype":8,"shape":[2],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":["U8"],"shape":[2],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":2,"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":"2","data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":["2"],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[[2]],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[null],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0]}})",
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2,4]}})",
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}})",
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,3]}})",
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})",
           R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]}})",
           R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,2]}})",
           R"({"a":{"dtype":"U8","shape":[99999999999999999999999],"data_offsets":[0,2]}})",
       }) {
    SCOPED_TRACE(header);
    expect_error(ErrorCode::kMalformedData, "",
                 [&] { from_safetensors(safetensors_file(header, "\1\2")); });
  }
}

TEST(Safetensors, OverlapsGapsAndDoubledNamesAreRefused) {
  const auto two = [](std::string_view second, std::string_view begin, std::string_view end) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},")" + std::string(second) +
           R"(":{"dtype":"U8","shape":[2],"data_offsets":[)" + std::string(begin) + "," +
           std::string(end) + "]}}";
  };
  expect_values<std::uint8_t>(
      from_safetensors(safetensors_file(two("b", "2", "4"), "\1\2\3\4"), "b"), {2}, {3, 4});
  expect_error(ErrorCode::kMalformedData, "no gap, no overlap",
               [&] { from_safetensors(safetensors_file(two("b", "1", "3"), "\1\2\3"), "b"); });
  expect_error(ErrorCode::kMalformedData, "no gap, no overlap",
               [&] { from_safetensors(safetensors_file(two("b", "0", "2"), "\1\2"), "b"); });
  expect_error(ErrorCode::kMalformedData, "no gap, no overlap",
               [&] { from_safetensors(safetensors_file(two("b", "3", "5"), "\1\2\3\4\5"), "b"); });
  expect_error(ErrorCode::kMalformedData, "no gap, no overlap",
               [&] { from_safetensors(safetensors_file(two("b", "2", "4"), "\1\2\3"), "a"); });
  expect_error(ErrorCode::kMalformedData, "behind the last",
               [&] { from_safetensors(safetensors_file(two("b", "2", "4"), "\1\2\3\4\5"), "a"); });
  expect_error(ErrorCode::kMalformedData, "stands twice",
               [&] { from_safetensors(safetensors_file(two("a", "2", "4"), "\1\2\3\4"), "a"); });
}

TEST(Safetensors, DepthDoesNotReachTheStack) {
  constexpr std::size_t kDeep = 2'000'000;
  for (const std::string& text : {std::string(kDeep, '['), "{\"a\":" + std::string(kDeep, '['),
                                  "{\"a\":{\"shape\":" + std::string(kDeep, '[')}) {
    SCOPED_TRACE(text.substr(0, 20));
    expect_error(ErrorCode::kMalformedData, "", [&] { from_safetensors(safetensors_file(text)); });
  }
  std::string objects;
  for (std::size_t i = 0; i < kDeep / 9; ++i) objects += "{\"dtype\":";
  expect_error(ErrorCode::kMalformedData, "an object",
               [&] { from_safetensors(safetensors_file(objects)); });
}

TEST(Safetensors, LengthsThatCannotBeAreRefused) {
  for (const std::uint64_t length : {std::uint64_t{3}, std::uint64_t{1} << 32, ~std::uint64_t{0}})
    expect_error(ErrorCode::kMalformedData, "longer than the file",
                 [&] { from_safetensors(le(length, 8) + "{}"); });
  expect_error(ErrorCode::kSizeOverflow, "too large", [] {
    from_safetensors(safetensors_file(
        R"({"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"));
  });
  std::string deep = "1";
  for (int i = 0; i < kMaxRank; ++i) deep += ",1";
  expect_error(ErrorCode::kMalformedData, "at most 64", [&] {
    from_safetensors(safetensors_file(
        R"({"a":{"dtype":"U8","shape":[)" + deep + R"(],"data_offsets":[0,1]}})", "x"));
  });
}

TEST(Safetensors, UnsupportedElementsAreNamed) {
  const std::string bytes =
      safetensors_file(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]},)"
                       R"("b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                       "\1\2");
  expect_error(ErrorCode::kUnsupportedFeature, "[safetensors: tensor 'a']",
               [&] { from_safetensors(bytes, "a"); });
  expect_error(ErrorCode::kUnsupportedFeature, "'F8_E4M3'", [&] { from_safetensors(bytes, "a"); });
  expect_values<std::uint8_t>(from_safetensors(bytes, "b"), {1}, {2});
}

TEST(Safetensors, AnyNonZeroByteIsTrue) {
  expect_values<Bool>(from_safetensors(safetensors_file(
                          R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\0\x80"s)),
                      {2}, {Bool(false), Bool(true)});
}

}  // namespace
}  // namespace tenfold::io::testing
