#include "io/npz.hpp"

#include <array>
#include <optional>

#include "io/io_testing.hpp"
#include "io/members.hpp"

namespace tenfold::io::testing {
namespace {

std::uint32_t crc32(std::string_view data) {
  std::uint32_t crc = ~0u;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

// A member as a zip archive keeps it; what it claims may differ from what it is.
struct Packed {
  std::string name;
  std::string stored;  // the bytes in the archive
  std::uint64_t size;  // claimed, when unpacked
  std::uint32_t crc;
  int method = 0;  // 0: stored, 8: deflated
  int flags = 0;
};
Packed stored(std::string name, std::string data) {
  return {std::move(name), data, data.size(), crc32(data)};
}
// Deflate's own form for bytes left as they are.
std::string deflated(std::string_view data) {
  return "\1"s + le(data.size(), 2) + le(~data.size(), 2) + std::string(data);
}

std::string archive(const std::vector<Packed>& members) {
  std::string out, directory;
  for (const Packed& m : members) {
    const std::string common = le(20, 2) + le(m.flags, 2) + le(m.method, 2) + le(0, 2) +
                               le(0x21, 2) + le(m.crc, 4) + le(m.stored.size(), 4) + le(m.size, 4) +
                               le(m.name.size(), 2) + le(0, 2);
    directory += "PK\1\2" + le(20, 2) + common + le(0, 2) + le(0, 2) + le(0, 2) + le(0, 4) +
                 le(out.size(), 4) + m.name;
    out += "PK\3\4" + common + m.name + m.stored;
  }
  const std::size_t begin = out.size();
  return out + directory + "PK\5\6" + le(0, 2) + le(0, 2) + le(members.size(), 2) +
         le(members.size(), 2) + le(directory.size(), 4) + le(begin, 4) + le(0, 2);
}

Tensor from_npz(const std::string& bytes, std::string member = {}) {
  return read_npz(as_bytes(bytes), {.member = std::move(member)});
}

const Tensor& ramp() {
  static const Tensor tensor = Tensor::of<std::int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  return tensor;
}
std::string ramp_npy() { return as_text(write_npy(ramp())); }

TEST(Npz, EveryTypeAndShapeComesBack) {
  for (const DType dtype : all_dtypes())
    for (const Dims& shape : sample_shapes()) {
      SCOPED_TRACE(std::string(name_of(dtype)) + to_string(shape));
      const Tensor tensor = sample(dtype, shape);
      const auto bytes = write_npz(std::array{NamedView{"x", tensor}});
      expect_same(read_npz(bytes, {.dtype = dtype}), tensor);
    }
}

TEST(Npz, EqualTensorsMakeEqualFiles) {
  const std::array members{NamedView{"a", ramp()}, NamedView{"b", ramp()}};
  EXPECT_EQ(write_npz(members), write_npz(members));
}

TEST(Npz, SeveralMembersAreToldApart) {
  const Tensor other = sample(DType::kF64, {3});
  const auto bytes = write_npz(std::array{NamedView{"input", ramp()}, NamedView{"mask", other}});
  for (const char* name : {"mask", "mask.npy"})
    expect_same(read_npz(bytes, {.member = name}), other);
  expect_same(read_npz(bytes, {.member = "input"}), ramp());
  expect_error(ErrorCode::kUnknownName, "the name of one: 'input', 'mask', got none",
               [&] { read_npz(bytes); });
  expect_error(ErrorCode::kUnknownName, "expected 'mask' (the nearest name), got 'maks'",
               [&] { read_npz(bytes, {.member = "maks"}); });
  expect_error(ErrorCode::kUnknownName, "expected one of 'input', 'mask', got 'y'",
               [&] { read_npz(bytes, {.member = "y"}); });
}

TEST(Npz, NamesMayLackTheSuffix) {
  const std::string bytes = archive({stored("bare", ramp_npy()), stored("folder/", "")});
  expect_same(from_npz(bytes), ramp());
  expect_same(from_npz(bytes, "bare"), ramp());
  expect_same(from_npz(bytes, "bare.npy"), ramp());
}

TEST(Npz, DeflatedMembersAreUnpacked) {
  const std::string npy = ramp_npy();
  expect_same(from_npz(archive({{"a.npy", deflated(npy), npy.size(), crc32(npy), 8}})), ramp());
  // 300 zero bytes behind a header that wants 300: one literal, then a match of distance 1.
  std::string zeros = as_text(write_npy(Tensor::zeros(DType::kU8, {300})));
  const std::string head = zeros.substr(0, 128);
  // A stored block for the header, then what zlib makes of 300 zeros.
  const std::string stream =
      "\0"s + le(head.size(), 2) + le(~head.size(), 2) + head + "\x63\x60\x18\x05\xc4\x02\x00"s;
  const Tensor got = from_npz(archive({{"z.npy", stream, zeros.size(), crc32(zeros), 8}}));
  expect_same(got, Tensor::zeros(DType::kU8, {300}));
}

TEST(Npz, EveryFormOfNpyIsRead) {
  const auto npy = [](std::string_view descr, std::string_view order, std::string_view data) {
    std::string text = "{'descr': '" + std::string(descr);
    text += "', 'fortran_order': " + std::string(order) + ", 'shape': (2, 2)}";
    return "\x93NUMPY\2"s + '\0' + le(text.size(), 4) + text + std::string(data);
  };
  expect_values<std::int8_t>(from_npz(archive({stored("a.npy", npy("|i1", "True", "\1\2\3\4"))})),
                             {2, 2}, {1, 3, 2, 4});
  expect_values<std::int8_t>(
      from_npz(archive({stored("a.npy", npy("|i1", "False", "\1\2\3\4more"))})), {2, 2},
      {1, 2, 3, 4});
  expect_values<std::int16_t>(
      from_npz(archive({stored("a.npy", npy(">i2", "False", "\0\1\0\2\0\3\0\4"s))})), {2, 2},
      {1, 2, 3, 4});
  expect_values<Bool>(from_npz(archive({stored("a.npy", npy("|b1", "False", "\0\1\2\3"s))})),
                      {2, 2}, {Bool(false), Bool(true), Bool(true), Bool(true)});
}

TEST(Npz, EveryCutIsRefused) {
  const auto bytes = write_npz(std::array{NamedView{"a", ramp()}});
  expect_every_cut_refused(as_text(bytes), [](Bytes cut) { read_npz(cut); });
}

TEST(Npz, EveryCutOfAMemberIsRefused) {
  expect_every_cut_refused(ramp_npy(), [](Bytes cut) {
    const std::string npy = as_text(cut);
    from_npz(archive({stored("a.npy", npy)}));
  });
  // Here the archive claims the whole member, but its bytes end before.
  const std::string npy = ramp_npy();
  for (std::size_t length = 0; length < npy.size(); length += 7)
    expect_error(ErrorCode::kMalformedData, "", [&] {
      from_npz(archive({{"a.npy", deflated(npy.substr(0, length)), npy.size(), crc32(npy), 8}}));
    });
}

TEST(Npz, WrongBytesAreNoticed) {
  const std::string npy = ramp_npy();
  expect_error(ErrorCode::kMalformedData, "[npz: member 'a.npy'] cannot unpack", [&] {
    from_npz(archive({{"a.npy", npy, npy.size(), crc32(npy) ^ 1, 0}}));
  });
  expect_error(ErrorCode::kMalformedData, "[npz: member 'a.npy'] cannot unpack", [&] {
    from_npz(archive({{"a.npy", deflated(npy), npy.size(), crc32(npy) ^ 1, 8}}));
  });
  std::string broken = deflated(npy);
  broken[0] = '\7';  // no such kind of block
  expect_error(ErrorCode::kMalformedData, "cannot unpack", [&] {
    from_npz(archive({{"a.npy", broken, npy.size(), crc32(npy), 8}}));
  });
  expect_error(ErrorCode::kMalformedData, "not an .npy file",
               [&] { from_npz(archive({stored("a.txt", "only words, no numbers")})); });
}

TEST(Npz, WhatCannotBeUnpackedIsRefusedBeforeMemoryIsTaken) {
  // A header that asks for 4 GB, in a member that claims to have them.
  std::string npy = as_text(write_npy(TensorView(nullptr, DType::kU8, {0})));
  npy.replace(npy.find("(0,), }  "), 14, "(4000000000,)}");
  for (const int method : {0, 8})
    expect_error(ErrorCode::kMalformedData, "claims to unpack to too much", [&] {
      from_npz(
          archive({{"a.npy", method ? deflated(npy) : npy, 4'000'000'128, crc32(npy), method}}));
    });
  // The same header in a member that says how short it is.
  expect_error(ErrorCode::kMalformedData,
               "data too short: expected 4000000000 bytes for shape (4000000000,) of u8, got 0",
               [&] {
                 from_npz(archive({{"a.npy", deflated(npy), npy.size(), crc32(npy), 8}}));
               });
  // A header without end is not unpacked either.
  const std::string endless = "\x93NUMPY\2"s + '\0' + "\xff\xff\xff\x7f" + std::string(2000, ' ');
  expect_error(ErrorCode::kMalformedData, "header too long", [&] {
    from_npz(archive({{"a.npy", deflated(endless), endless.size(), crc32(endless), 8}}));
  });
}

TEST(Npz, WhatIsNotSupportedIsNamed) {
  const std::string npy = ramp_npy();
  expect_error(ErrorCode::kUnsupportedFeature, "encrypted", [&] {
    from_npz(archive({{"a.npy", npy, npy.size(), crc32(npy), 0, 1}}));
  });
  expect_error(ErrorCode::kUnsupportedFeature, "stored (0) or deflated (8), got 12", [&] {
    from_npz(archive({{"a.npy", npy, npy.size(), crc32(npy), 12}}));
  });
}

TEST(Npz, ArchivesWithoutOneTensorAreRefused) {
  expect_error(ErrorCode::kMalformedData, "no tensor", [] { from_npz(archive({})); });
  expect_error(ErrorCode::kMalformedData, "not a zip archive", [] { from_npz("not a zip"); });
  expect_error(ErrorCode::kMalformedData, "no tensor", [] { from_npz(""); });
  expect_error(ErrorCode::kMalformedData, "a name stands twice", [] {
    from_npz(archive({stored("a.npy", ramp_npy()), stored("a.npy", ramp_npy())}), "a");
  });
}

}  // namespace
}  // namespace tenfold::io::testing
