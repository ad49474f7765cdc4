// What the tests of this folder share: bytes from literals, tensors of every type, expected errors
// and a folder that vanishes. Included by the *_test.cpp files only.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tenfold/error.hpp"
#include "tenfold/io.hpp"

namespace tenfold::io::testing {

using namespace std::string_literals;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The lowest `size` bytes of a number, little-endian.
inline std::string le(std::uint64_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

inline std::vector<DType> all_dtypes() {
  std::vector<DType> types;
  for (int i = 0; i < kDTypeCount; ++i) types.push_back(static_cast<DType>(i));
  return types;
}

// Zero-size axes, rank 0 and the largest rank included.
inline std::vector<Dims> sample_shapes() {
  Dims deep;
  deep.resize(kMaxRank, 1);
  deep[40] = 3;
  return {Dims{}, Dims{1}, Dims{5}, Dims{0}, Dims{2, 3, 4}, Dims{2, 0, 3}, deep};
}

// Elements whose bytes all differ, as far as that goes; booleans are 0 and 1.
inline Tensor sample(DType dtype, const Dims& shape) {
  Tensor tensor(dtype, shape);
  auto* bytes = static_cast<unsigned char*>(tensor.data());
  for (std::int64_t i = 0; i < tensor.bytes(); ++i)
    bytes[i] = static_cast<unsigned char>(dtype == DType::kBool ? i % 3 == 0 : i * 37 + 11);
  return tensor;
}

inline void expect_same(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(name_of(got.dtype()), name_of(expected.dtype()));
  ASSERT_EQ(to_string(got.shape()), to_string(expected.shape()));
  if (expected.bytes() == 0) return;
  EXPECT_EQ(0,
            std::memcmp(got.data(), expected.data(), static_cast<std::size_t>(expected.bytes())));
}

template <class T>
void expect_values(const Tensor& got, const Dims& shape, std::initializer_list<T> values) {
  expect_same(got, Tensor::of(values, shape));
}

// Runs f, which must throw an Error of this code whose text contains the fragment.
template <class F>
void expect_error(ErrorCode code, std::string_view fragment, F&& f) {
  try {
    f();
    ADD_FAILURE() << "no error; expected " << name_of(code) << " with '" << fragment << "'";
  } catch (const Error& e) {
    EXPECT_EQ(name_of(e.code()), name_of(code)) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(fragment), std::string_view::npos)
        << "got: " << e.what() << "\nexpected in it: " << fragment;
  }
}

// The file cut at every length before its end must be refused as malformed, by every reader.
template <class Read>
void expect_every_cut_refused(std::string_view file, Read&& read) {
  for (std::size_t length = 0; length < file.size(); ++length) {
    SCOPED_TRACE("cut to " + std::to_string(length) + " of " + std::to_string(file.size()));
    // A copy of its own, so that a sanitizer sees a read past the cut.
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    expect_error(ErrorCode::kMalformedData, "", [&] { read(as_bytes({cut.data(), cut.size()})); });
  }
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenfold-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  void put(std::string_view name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tenfold::io::testing
