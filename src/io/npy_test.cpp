#include "io/npy.hpp"

#include "io/io_testing.hpp"

namespace tenfold::io::testing {
namespace {

// A file of this version around a dictionary, as any program could have written it.
std::string npy_file(std::string_view dictionary, std::string_view data, int version = 1) {
  return "\x93NUMPY"s + static_cast<char>(version) + '\0' +
         le(dictionary.size(), version == 1 ? 2 : 4) + std::string(dictionary) + std::string(data);
}

std::string dictionary(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}

Tensor from_npy(std::string_view bytes, const ReadOptions& options = {}) {
  return read_npy(as_bytes(bytes), options);
}

TEST(Npy, EveryTypeAndShapeComesBack) {
  for (const DType dtype : all_dtypes())
    for (const Dims& shape : sample_shapes()) {
      SCOPED_TRACE(std::string(name_of(dtype)) + to_string(shape));
      const Tensor tensor = sample(dtype, shape);
      const auto bytes = write_npy(tensor);
      EXPECT_EQ(bytes.size() % 64, static_cast<std::size_t>(tensor.bytes()) % 64);
      expect_same(read_npy(bytes, {.dtype = dtype}), tensor);
    }
}

TEST(Npy, WritesWhatNumPyWrites) {
  const Tensor tensor = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  std::string expected = "\x93NUMPY\x01"s + '\0' + "\x76"s + '\0' +
                         "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  expected += "\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\x40"s;
  EXPECT_EQ(as_text(write_npy(tensor)), expected);
}

TEST(Npy, WritesTheElementsOfStridedViews) {
  const Tensor tensor = Tensor::of<std::int16_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  const TensorView turned = permuted(tensor, {1, 0});
  expect_values<std::int16_t>(read_npy(write_npy(turned)), {3, 2}, {1, 4, 2, 5, 3, 6});
  const TensorView backwards(tensor.values<std::int16_t>().data() + 5, DType::kI16, {3}, {-2});
  expect_values<std::int16_t>(read_npy(write_npy(backwards)), {3}, {6, 4, 2});
}

TEST(Npy, ColumnMajorComesOutRowMajor) {
  // numpy.array([[1, 2, 3], [4, 5, 6]], order='F')
  expect_values<std::int8_t>(from_npy(npy_file(dictionary("|i1", "(2, 3)", true), "\1\4\2\5\3\6")),
                             {2, 3}, {1, 2, 3, 4, 5, 6});
  expect_values<std::int8_t>(from_npy(npy_file(dictionary("|i1", "(2, 1, 2)", true), "\1\2\3\4")),
                             {2, 1, 2}, {1, 3, 2, 4});
}

TEST(Npy, BigEndianIsSwapped) {
  expect_values<std::int16_t>(from_npy(npy_file(dictionary(">i2", "(2,)"), "\x01\x02\xff\xfe"s)),
                              {2}, {0x0102, -2});
  expect_values<float>(from_npy(npy_file(dictionary(">f4", "()"), "\x3f\x80\0\0"s)), {}, {1.0f});
  expect_values<double>(from_npy(npy_file(dictionary(">f8", "(1,)"), "\x3f\xf0\0\0\0\0\0\0"s)), {1},
                        {1.0});
  expect_values<std::uint8_t>(from_npy(npy_file(dictionary(">u1", "(2,)"), "\1\2")), {2}, {1, 2});
  // Both at once: [[1, 2], [3, 4]] as '>u4', order='F'.
  expect_values<std::uint32_t>(
      from_npy(npy_file(dictionary(">u4", "(2, 2)", true), "\0\0\0\1\0\0\0\3\0\0\0\2\0\0\0\4"s)),
      {2, 2}, {1, 2, 3, 4});
}

TEST(Npy, ReadsVersionsOneToThree) {
  for (const int version : {1, 2, 3})
    expect_values<std::uint8_t>(from_npy(npy_file(dictionary("|u1", "(3,)"), "\1\2\3", version)),
                                {3}, {1, 2, 3});
  expect_error(ErrorCode::kUnsupportedFeature, "expected 1.0, 2.0 or 3.0, got 4.0",
               [] { from_npy(npy_file(dictionary("|u1", "(3,)"), "\1\2\3", 4)); });
  std::string minor = npy_file(dictionary("|u1", "(3,)"), "\1\2\3");
  minor[7] = 5;
  expect_error(ErrorCode::kUnsupportedFeature, "got 1.5", [&] { from_npy(minor); });
}

TEST(Npy, TakesAnyWayToWriteTheDictionary) {
  for (const char* text : {
           "{'descr':'<i2','fortran_order':False,'shape':(2,)}",
           "{ \"shape\" : ( 2 , ) , \"descr\" : \"<i2\" , \"fortran_order\" : False , } \n \t",
           "{'fortran_order': False, 'shape': (2L,), 'descr': 'i2'}",
           "\n{\n'shape'\n:\n(\n2\n,\n)\n,'fortran_order':False,'descr':'=i2'}",
           "{'shape': (1, 2), 'fortran_order': True, 'descr': '<i2'}",
           "{'shape': (1, 2,), 'fortran_order': True, 'descr': '<i2'}",
       }) {
    SCOPED_TRACE(text);
    const Tensor tensor = from_npy(npy_file(text, "\1\0\2\0"s));
    ASSERT_EQ(tensor.size(), 2);
    EXPECT_EQ(tensor.values<std::int16_t>()[0], 1);
    EXPECT_EQ(tensor.values<std::int16_t>()[1], 2);
  }
}

TEST(Npy, BadDictionariesAreRefused) {
  for (const char* text : {
           "",
           "{}",
           "{'descr': '<i2'}",
           "{'descr': '<i2', 'fortran_order': False}",
           "'descr'",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)} x",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}}",
           "{'descr': '<i2' 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<i2',, 'fortran_order': False, 'shape': (2,)}",
           "{'descr' '<i2', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': <i2, 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<i2, 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<i\\x32', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<i2', 'fortran_order': 0, 'shape': (2,)}",
           "{'descr': '<i2', 'fortran_order': false, 'shape': (2,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': 2}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': [2]}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (1 2)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2.0,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (0x2,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (+2,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (-2,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), 'order': 'C'}",
       }) {
    SCOPED_TRACE(text);
    expect_error(ErrorCode::kMalformedData, "", [&] { from_npy(npy_file(text, "\1\0\2\0"s)); });
  }
  const std::string zero = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}\0"s;
  expect_error(ErrorCode::kMalformedData, "the end of the header at byte 55",
               [&] { from_npy(npy_file(zero, "\1\0\2\0"s)); });
}

TEST(Npy, UnsupportedElementsAreNamed) {
  for (const char* descr : {"|O", "<c32", "<M8[ns]", "<m8[s]", "|S3", "<U2", "|V4", "<f16", "<f3",
                            "<i16", "float32", "", "<"})
    expect_error(ErrorCode::kUnsupportedFeature, "'"s + descr + "'",
                 [&] { from_npy(npy_file(dictionary(descr, "(0,)"), "")); });
  expect_error(ErrorCode::kUnsupportedFeature, "structured", [] {
    from_npy(npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,)}", ""));
  });
}

TEST(Npy, TwoByteVoidIsBFloat16OnlyWhenAskedFor) {
  for (const char* descr : {"|V2", "<V2"}) {
    const std::string bytes = npy_file(dictionary(descr, "(1,)"), "\x80\x3f");
    const Tensor one = from_npy(bytes, {.dtype = DType::kBF16});
    expect_values<BFloat16>(one, {1}, {BFloat16(1.0f)});
    expect_error(ErrorCode::kUnsupportedFeature, "expected the type bf16 to be asked for, got none",
                 [&] { from_npy(bytes); });
    expect_error(ErrorCode::kUnsupportedFeature, "got f16",
                 [&] { from_npy(bytes, {.dtype = DType::kF16}); });
  }
  // A void has no byte order: which one such a file means cannot be known.
  expect_error(ErrorCode::kUnsupportedFeature, "'>V2'", [] {
    from_npy(npy_file(dictionary(">V2", "(1,)"), "\x80\x3f"), {.dtype = DType::kBF16});
  });
  // Asking changes nothing else.
  expect_values<std::uint8_t>(
      from_npy(npy_file(dictionary("|u1", "(1,)"), "\5"), {.dtype = DType::kBF16}), {1}, {5});
}

TEST(Npy, PartsOfComplexNumbersAreSwappedOneByOne) {
  expect_values<std::complex<float>>(
      from_npy(npy_file(dictionary(">c8", "(2,)"), "\x3f\x80\0\0\xc0\0\0\0\x40\x40\0\0\0\0\0\0"s)),
      {2}, {{1, -2}, {3, 0}});
  expect_values<std::complex<double>>(
      from_npy(npy_file(dictionary(">c16", "(1,)"), "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"s)),
      {1}, {{1, -2}});
  expect_values<std::complex<float>>(
      from_npy(npy_file(dictionary("<c8", "(1,)"), "\0\0\x80\x3f\0\0\0\xc0"s)), {1}, {{1, -2}});
  const std::vector<std::byte> bytes = write_npy(Tensor::of<std::complex<float>>({{1, -2}}, {1}));
  EXPECT_NE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find("'<c8'"),
            std::string::npos);
}

TEST(Npy, AnyNonZeroByteIsTrue) {
  expect_values<Bool>(from_npy(npy_file(dictionary("|b1", "(4,)"), "\0\1\2\xff"s)), {4},
                      {Bool(false), Bool(true), Bool(true), Bool(true)});
}

TEST(Npy, DataBehindTheElementsIsIgnored) {
  expect_values<std::uint8_t>(from_npy(npy_file(dictionary("|u1", "(2,)"), "\1\2\3\4")), {2},
                              {1, 2});
}

TEST(Npy, EveryCutIsRefused) {
  for (const int version : {1, 2})
    expect_every_cut_refused(npy_file(dictionary("<f4", "(2, 3)"), std::string(24, 'x'), version),
                             [](Bytes bytes) { read_npy(bytes); });
}

TEST(Npy, SaysWhatWasExpected) {
  expect_error(ErrorCode::kMalformedData,
               "[npy] data too short: expected 96 bytes for shape (2, 3, 4) of f32, got 80",
               [] { from_npy(npy_file(dictionary("<f4", "(2, 3, 4)"), std::string(80, 'x'))); });
  expect_error(ErrorCode::kMalformedData, "[npy] not an .npy file",
               [] { from_npy("PK\3\4somezip"); });
  // Bytes of a file reach a terminal only in a harmless form.
  expect_error(ErrorCode::kUnsupportedFeature, R"('\x1b[2J\x07')",
               [] { from_npy(npy_file(dictionary("\x1b[2J\7", "()"), "x")); });
}

TEST(Npy, SizesThatCannotBeAreRefusedBeforeMemoryIsTaken) {
  for (const char* shape : {"(1152921504606846976,)", "(9223372036854775807,)",
                            "(4294967296, 65536)", "(1000000000000,)"})
    expect_error(ErrorCode::kMalformedData, "data too short",
                 [&] { from_npy(npy_file(dictionary("|u1", shape), "12345678")); });
  for (const char* shape :
       {"(9223372036854775807, 2)", "(4294967296, 4294967296)", "(0, 4294967296, 4294967296)",
        "(9223372036854775808,)", "(99999999999999999999999999,)"})
    expect_error(ErrorCode::kSizeOverflow, "too large",
                 [&] { from_npy(npy_file(dictionary("|u1", shape), "12345678")); });
  expect_error(ErrorCode::kSizeOverflow, "fewer than 2^63 bytes",
               [] { from_npy(npy_file(dictionary("<f8", "(2305843009213693952,)"), "12345678")); });
  std::string deep = "(";
  for (int i = 0; i < kMaxRank + 1; ++i) deep += "1,";
  expect_error(ErrorCode::kRankTooLarge, "at most 64",
               [&] { from_npy(npy_file(dictionary("|u1", deep + ")"), "1")); });
  expect_error(ErrorCode::kMalformedData, "header too long", [] {
    from_npy("\x93NUMPY\2"s + '\0' + "\xff\xff\xff\xff" + std::string(100000, ' '));
  });
}

TEST(Npy, WritingNothingIsRefused) {
  expect_error(ErrorCode::kNullData, "4 bytes for shape (1,) of f32",
               [] { write_npy(TensorView(nullptr, DType::kF32, {1})); });
  EXPECT_EQ(write_npy(TensorView(nullptr, DType::kF32, {0})).size(), 128u);
}

}  // namespace
}  // namespace tenfold::io::testing
