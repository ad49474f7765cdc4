// Tests of load, save and read_raw (load.cpp).
#include <unistd.h>

#include <array>

#include "io/io_testing.hpp"
#include "io/members.hpp"

namespace tenfold::io::testing {
namespace {

TEST(Load, EverySuffixKeepsEveryType) {
  const Folder folder;
  for (const char* name : {"t.npy", "t.npz", "t.pb", "t.safetensors", "t.raw", "t.bin", "T.NPY"})
    for (const DType dtype : all_dtypes()) {
      if (std::string_view(name) == "t.safetensors" && dtype == DType::kC128) continue;
      SCOPED_TRACE(std::string(name) + " " + std::string(name_of(dtype)));
      const Tensor tensor = sample(dtype, {2, 3, 4});
      save(folder / name, tensor);
      expect_same(load(folder / name, {.dtype = dtype, .shape = Dims{2, 3, 4}}), tensor);
    }
}

TEST(Load, MembersAreNamedBehindTheFile) {
  const Folder folder;
  const Tensor a = sample(DType::kF32, {2}), b = sample(DType::kI8, {3});
  const std::array both{NamedView{"a", a}, NamedView{"b:c", b}};
  for (const std::string name : {"both.npz", "both.safetensors"}) {
    SCOPED_TRACE(name);
    write_file(folder / name, name == "both.npz" ? write_npz(both) : write_safetensors(both));
    expect_same(load(folder / (name + ":a")), a);
    expect_same(load(folder / (name + ":b:c")), b);
    expect_same(load(folder / name, {.member = "b:c"}), b);
    expect_same(load(folder / (name + ":a"), {.member = "a"}), a);
    expect_error(ErrorCode::kBadArgument, "two members named",
                 [&] { load(folder / (name + ":a"), {.member = "b:c"}); });
    expect_error(ErrorCode::kUnknownName, folder / name + "] several tensors",
                 [&] { load(folder / name); });
    expect_error(ErrorCode::kUnknownName, "got 'zzz'", [&] { load(folder / (name + ":zzz")); });
  }
}

TEST(Load, MembersAreSavedUnderTheirName) {
  const Folder folder;
  const Tensor a = sample(DType::kF32, {2});
  for (const std::string name : {"one.npz", "one.safetensors"}) {
    save(folder / (name + ":weights"), a);
    expect_same(load(folder / (name + ":weights")), a);
    expect_same(load(folder / name), a);
  }
  save(folder / "plain.npz", a);
  expect_same(load(folder / "plain.npz:arr_0"), a);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"one.npz", "one.safetensors", "plain.npz"}));
}

TEST(Load, AFileWhoseOwnNameHasAColonIsTakenAsItIs) {
  const Folder folder;
  const Tensor a = sample(DType::kF32, {2});
  write_file(folder / "x.npz:y.npy", write_npy(a));
  expect_same(load(folder / "x.npz:y.npy"), a);
}

TEST(Load, UnknownSuffixesAreRefused) {
  const Tensor a = sample(DType::kF32, {2});
  for (const char* name : {"x.txt", "x", ".npy", "x.npy.gz", ""}) {
    SCOPED_TRACE(name);
    expect_error(ErrorCode::kBadArgument, "a name ending in .npy, .npz", [&] { load(name); });
    expect_error(ErrorCode::kBadArgument, "a name ending in .npy, .npz", [&] { save(name, a); });
  }
}

TEST(Load, EveryFormOfNpyIsReadFromAFile) {
  const Folder folder;
  const auto read = [&](std::string_view text) {
    folder.put("t.npy", text);
    return load(folder / "t.npy");
  };
  const auto file = [](std::string_view descr, std::string_view order, std::string_view data) {
    std::string text = "{'descr': '" + std::string(descr);
    text += "', 'fortran_order': " + std::string(order) + ", 'shape': (2, 2)}";
    return "\x93NUMPY\1"s + '\0' + le(text.size(), 2) + text + std::string(data);
  };
  expect_values<std::int8_t>(read(file("|i1", "False", "\1\2\3\4")), {2, 2}, {1, 2, 3, 4});
  expect_values<std::int8_t>(read(file("|i1", "True", "\1\2\3\4")), {2, 2}, {1, 3, 2, 4});
  expect_values<std::int8_t>(read(file("|i1", "False", "\1\2\3\4more")), {2, 2}, {1, 2, 3, 4});
  expect_values<std::int16_t>(read(file(">i2", "False", "\0\1\0\2\0\3\0\4"s)), {2, 2},
                              {1, 2, 3, 4});
  expect_values<Bool>(read(file("|b1", "False", "\0\1\2\3"s)), {2, 2},
                      {Bool(false), Bool(true), Bool(true), Bool(true)});
  expect_error(ErrorCode::kMalformedData,
               "t.npy] data too short: expected 8 bytes for shape (2, 2)",
               [&] { read(file("<i2", "False", "1234567")); });
  expect_every_cut_refused(file("<i2", "False", "12345678"),
                           [&](Bytes cut) { read(as_text(cut)); });
  expect_every_cut_refused(file("<i2", "True", "12345678"), [&](Bytes cut) { read(as_text(cut)); });
}

TEST(Load, ErrorsNameTheFile) {
  const Folder folder;
  folder.put("bad.npy", "not numpy");
  folder.put("bad.npz", "not zip");
  folder.put("bad.pb", "not a tensor");
  folder.put("bad.safetensors", "not safe");
  folder.put("bad.raw", "xyz");
  for (const char* name : {"bad.npy", "bad.npz", "bad.pb", "bad.safetensors", "bad.raw"})
    expect_error(ErrorCode::kMalformedData, folder / name + "] ",
                 [&] { load(folder / name, {.dtype = DType::kU8, .shape = Dims{2}}); });
  expect_error(ErrorCode::kFile, folder / "none.npy" + "] cannot open",
               [&] { load(folder / "none.npy"); });
}

TEST(Load, RawDataNeedsTypeAndShape) {
  const std::string bytes = "\1\0\2\0"s;
  expect_values<std::int16_t>(
      read_raw(as_bytes(bytes), {.dtype = DType::kI16, .shape = Dims{2, 1}}), {2, 1}, {1, 2});
  expect_error(ErrorCode::kBadArgument, "got no shape",
               [&] { read_raw(as_bytes(bytes), {.dtype = DType::kI16}); });
  expect_error(ErrorCode::kBadArgument, "got no dtype",
               [&] { read_raw(as_bytes(bytes), {.shape = Dims{2}}); });
  expect_error(ErrorCode::kMalformedData, "[raw] data too long: expected 2 bytes for shape (1,)",
               [&] { read_raw(as_bytes(bytes), {.dtype = DType::kI16, .shape = Dims{1}}); });
  expect_error(ErrorCode::kMalformedData, "data too short",
               [&] { read_raw(as_bytes(bytes), {.dtype = DType::kI16, .shape = Dims{3}}); });
  expect_error(ErrorCode::kSizeOverflow, "negative extent",
               [&] { read_raw(as_bytes(bytes), {.dtype = DType::kI16, .shape = Dims{-2}}); });
}

// Standard input or output turned to a file while it lives.
class Redirected {
 public:
  Redirected(int fd, const std::string& path) : fd_(fd), saved_(::dup(fd)) {
    std::FILE* file = std::fopen(path.c_str(), fd == STDIN_FILENO ? "rb" : "wb");
    ::dup2(::fileno(file), fd_);
    std::fclose(file);
  }
  ~Redirected() {
    ::dup2(saved_, fd_);
    ::close(saved_);
  }

 private:
  int fd_, saved_;
};

TEST(Load, ADashIsStandardInputAndOutput) {
  const Folder folder;
  const Tensor a = sample(DType::kF32, {2, 3});
  {
    const Redirected output(STDOUT_FILENO, folder / "f");
    save("-", a);
  }
  EXPECT_EQ(as_text(read_file(folder / "f")), as_text(write_npy(a)));
  const Redirected input(STDIN_FILENO, folder / "f");
  expect_same(load("-"), a);
  expect_error(ErrorCode::kMalformedData, "[standard input] ",
               [] { load("-"); });  // now at its end
}

TEST(Load, NothingIsLeftWhenSavingFails) {
  const Folder folder;
  std::filesystem::create_directory(folder.path() / "t.npy");
  expect_error(ErrorCode::kFile, "Is a directory",
               [&] { save(folder / "t.npy", sample(DType::kF32, {2})); });
  expect_error(ErrorCode::kNullData, folder / "n.npy" + "] no data",
               [&] { save(folder / "n.npy", TensorView(nullptr, DType::kF32, {1})); });
  EXPECT_EQ(folder.names(), std::vector<std::string>{"t.npy"});
}

}  // namespace
}  // namespace tenfold::io::testing
