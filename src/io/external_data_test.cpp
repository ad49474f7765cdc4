#include "io/external_data.hpp"

#include <sys/stat.h>

#include <protozero/pbf_writer.hpp>

#include "io/io_testing.hpp"
#include "io/tensor_proto.hpp"

namespace tenfold::io::testing {
namespace {

using protozero::pbf_writer;
using Entries = std::vector<std::pair<std::string, std::string>>;

// Two bytes of u8 kept elsewhere.
std::string elsewhere(const Entries& entries) {
  std::string out;
  pbf_writer writer(out);
  writer.add_int64(1, 2);
  writer.add_int32(2, 2);
  writer.add_string(8, "w");
  for (const auto& [key, value] : entries) {
    pbf_writer entry(writer, 13);
    entry.add_string(1, key);
    entry.add_string(2, value);
  }
  writer.add_int32(14, 1);
  return out;
}

class ExternalData : public ::testing::Test {
 protected:
  ExternalData() {
    std::filesystem::create_directories(folder_.path() / "model" / "deep");
    folder_.put("secret", "12");
    folder_.put("model/two", "12");
    folder_.put("model/six", "123456");
    folder_.put("model/deep/two", "34");
  }

  Tensor read(const Entries& entries) const {
    return parse_tensor_proto(as_bytes(elsewhere(entries)), folder_.path() / "model").tensor;
  }
  void expect_refused(ErrorCode code, const Entries& entries, std::string_view fragment) const {
    SCOPED_TRACE(entries.empty() ? "" : entries[0].second);
    expect_error(code, fragment, [&] { read(entries); });
  }

  Folder folder_;
};

TEST_F(ExternalData, ReadsTheRange) {
  expect_values<std::uint8_t>(read({{"location", "two"}}), {2}, {'1', '2'});
  expect_values<std::uint8_t>(read({{"location", "./deep//two"}}), {2}, {'3', '4'});
  expect_values<std::uint8_t>(read({{"location", "six"}, {"offset", "3"}, {"length", "2"}}), {2},
                              {'4', '5'});
  expect_values<std::uint8_t>(read({{"length", "2"}, {"checksum", "?"}, {"location", "six"}}), {2},
                              {'1', '2'});
  expect_values<std::uint8_t>(read({{"location", "six"}, {"offset", "4"}}), {2}, {'5', '6'});
}

TEST_F(ExternalData, TheModelsOwnFolderMayBeALink) {
  std::filesystem::create_directory_symlink(folder_.path() / "model", folder_.path() / "link");
  const Tensor got =
      parse_tensor_proto(as_bytes(elsewhere({{"location", "two"}})), folder_.path() / "link")
          .tensor;
  expect_values<std::uint8_t>(got, {2}, {'1', '2'});
}

TEST_F(ExternalData, AFileIsReadWithItsExternalData) {
  folder_.put("model/w.pb", elsewhere({{"location", "two"}}));
  expect_values<std::uint8_t>(load(folder_ / "model/w.pb"), {2}, {'1', '2'});
  expect_error(ErrorCode::kUnsupportedFeature, "needs the file's folder", [] {
    read_tensor_proto(as_bytes(elsewhere({{"location", "two"}})));
  });
}

TEST_F(ExternalData, PathsThatLeaveTheFolderAreRefused) {
  for (const char* location : {"../secret", "deep/../../secret", "deep/../two", "..", "deep/.."})
    expect_refused(ErrorCode::kMalformedData, {{"location", location}}, "below the model's folder");
  for (const std::string& location :
       {folder_ / "secret", folder_ / "model/two", "/etc/passwd"s, "/"s})
    expect_refused(ErrorCode::kMalformedData, {{"location", location}}, "relative to the model");
  for (const char* location : {".", "./", "two/"})
    expect_refused(ErrorCode::kMalformedData, {{"location", location}}, "the path of a file");
  expect_refused(ErrorCode::kMalformedData, {{"location", "two\0x"s}}, "zero byte");
  expect_refused(ErrorCode::kMalformedData, {{"location", ""}}, "without a location");
  expect_refused(ErrorCode::kMalformedData, {}, "without a location");
}

TEST_F(ExternalData, LinksAreRefused) {
  const auto model = folder_.path() / "model";
  std::filesystem::create_symlink("../secret", model / "out");
  std::filesystem::create_symlink("two", model / "in");
  std::filesystem::create_symlink("nowhere", model / "dangling");
  std::filesystem::create_directory_symlink("..", model / "up");
  std::filesystem::create_directory_symlink("deep", model / "down");
  for (const char* location : {"out", "in", "dangling", "up/secret", "down/two"})
    expect_refused(ErrorCode::kMalformedData, {{"location", location}}, "without links");
  std::filesystem::create_hard_link(folder_.path() / "secret", model / "hard");
  expect_refused(ErrorCode::kMalformedData, {{"location", "hard"}}, "no hard links");
}

TEST_F(ExternalData, OnlyRegularFilesAreRead) {
  expect_refused(ErrorCode::kMalformedData, {{"location", "deep"}}, "a regular file");
  ASSERT_EQ(0, ::mkfifo((folder_ / "model/pipe").c_str(), 0600));
  expect_refused(ErrorCode::kMalformedData, {{"location", "pipe"}}, "a regular file");
  expect_refused(ErrorCode::kFile, {{"location", "missing"}}, "No such file or directory");
  expect_refused(ErrorCode::kFile, {{"location", "two/two"}}, "Not a directory");
}

TEST_F(ExternalData, RangesOutsideOfTheFileAreRefused) {
  const auto range = [](std::string offset, std::string length) {
    return Entries{
        {"location", "six"}, {"offset", std::move(offset)}, {"length", std::move(length)}};
  };
  expect_refused(ErrorCode::kMalformedData, range("7", "2"), "0 .. 6, got 7");
  expect_refused(ErrorCode::kMalformedData, range("5", "2"),
                 "at most 1 bytes from offset 5, got 2");
  expect_refused(ErrorCode::kMalformedData, range("9223372036854775807", "2"), "0 .. 6");
  expect_refused(ErrorCode::kMalformedData, range("2", "9223372036854775807"), "at most 4 bytes");
  for (const char* bad : {"-1", "", "1x", "0x1", " 1", "1.0", "9223372036854775808"}) {
    expect_refused(ErrorCode::kMalformedData, range(bad, "2"), "bad offset of external data");
    expect_refused(ErrorCode::kMalformedData, range("0", bad), "bad length of external data");
  }
  expect_refused(ErrorCode::kMalformedData, range("0", "3"),
                 "[tensor 'w'] external data of another size in 'six': expected 2 bytes for shape "
                 "(2,) of u8, got 3");
  expect_refused(ErrorCode::kMalformedData, range("0", "1"), "got 1");
  expect_refused(ErrorCode::kMalformedData, {{"location", "six"}}, "got 6");
}

TEST_F(ExternalData, ValuesInTheMessageTooAreRefused) {
  std::string bytes = elsewhere({{"location", "two"}});
  pbf_writer(bytes).add_bytes(9, "12");
  expect_error(ErrorCode::kMalformedData, "raw_data too",
               [&] { parse_tensor_proto(as_bytes(bytes), folder_.path() / "model"); });
}

}  // namespace
}  // namespace tenfold::io::testing
