#include "io/tensor_proto.hpp"

#include <protozero/pbf_writer.hpp>

#include "io/io_testing.hpp"

namespace tenfold::io::testing {
namespace {

using protozero::pbf_writer;

// A message written field by field.
template <class F>
std::string message(F&& write) {
  std::string out;
  pbf_writer writer(out);
  write(writer);
  return out;
}

// dims and data_type, then what `write` adds.
template <class F>
std::string tensor(std::initializer_list<std::int64_t> dims, int data_type, F&& write) {
  return message([&](pbf_writer& w) {
    for (const std::int64_t d : dims) w.add_int64(1, d);
    w.add_int32(2, data_type);
    write(w);
  });
}

Tensor from_proto(std::string_view bytes) { return read_tensor_proto(as_bytes(bytes)); }

template <class T>
std::vector<T> list(std::initializer_list<T> values) {
  return values;
}

TEST(TensorProto, EveryTypeAndShapeComesBack) {
  for (const DType dtype : all_dtypes())
    for (const Dims& shape : sample_shapes()) {
      SCOPED_TRACE(std::string(name_of(dtype)) + to_string(shape));
      const Tensor t = sample(dtype, shape);
      const auto bytes = write_tensor_proto(t, "some name");
      const NamedTensor got = parse_tensor_proto(bytes);
      EXPECT_EQ(got.name, "some name");
      expect_same(got.tensor, t);
    }
}

TEST(TensorProto, WritesTheFieldsInOrder) {
  const Tensor t = Tensor::of<std::int16_t>({1, -1}, {2});
  EXPECT_EQ(as_text(write_tensor_proto(t, "x")),
            "\x08\x02\x10\x05\x42\x01x\x4a\x04\x01\x00\xff\xff"s);
  EXPECT_EQ(as_text(write_tensor_proto(t)), "\x08\x02\x10\x05\x4a\x04\x01\x00\xff\xff"s);
}

TEST(TensorProto, TypedFieldsPackedAndNot) {
  const auto floats = list<float>({1.5f, -0.0f});
  expect_values<float>(
      from_proto(tensor(
          {2}, 1, [&](pbf_writer& w) { w.add_packed_float(4, floats.begin(), floats.end()); })),
      {2}, {1.5f, -0.0f});
  expect_values<float>(from_proto(tensor({2}, 1,
                                         [&](pbf_writer& w) {
                                           w.add_float(4, 1.5f);
                                           w.add_float(4, -0.0f);
                                         })),
                       {2}, {1.5f, -0.0f});
  const auto doubles = list<double>({0.1, -2});
  expect_values<double>(from_proto(tensor({1, 2}, 11,
                                          [&](pbf_writer& w) {
                                            w.add_packed_double(10, doubles.begin(), doubles.end());
                                          })),
                        {1, 2}, {0.1, -2});
  expect_values<double>(from_proto(tensor({}, 11, [&](pbf_writer& w) { w.add_double(10, 0.1); })),
                        {}, {0.1});
  const auto longs = list<std::int64_t>({INT64_MIN, -1, INT64_MAX});
  expect_values<std::int64_t>(
      from_proto(tensor({3}, 7,
                        [&](pbf_writer& w) { w.add_packed_int64(7, longs.begin(), longs.end()); })),
      {3}, {INT64_MIN, -1, INT64_MAX});
  const auto words = list<std::uint64_t>({0, 0xFFFFFFFF});
  expect_values<std::uint32_t>(
      from_proto(tensor(
          {2}, 12, [&](pbf_writer& w) { w.add_packed_uint64(11, words.begin(), words.end()); })),
      {2}, {0, 0xFFFFFFFF});
  expect_values<std::uint64_t>(
      from_proto(tensor({1}, 13, [&](pbf_writer& w) { w.add_uint64(11, UINT64_MAX); })), {1},
      {UINT64_MAX});
}

TEST(TensorProto, ComplexNumbersLieInPairs) {
  const auto floats = list<float>({1.5f, -0.0f, 3, 4});
  const std::string pairs =
      tensor({2}, 14, [&](pbf_writer& w) { w.add_packed_float(4, floats.begin(), floats.end()); });
  expect_values<std::complex<float>>(from_proto(pairs), {2}, {{1.5f, -0.0f}, {3, 4}});
  const auto doubles = list<double>({0.1, -2});
  expect_values<std::complex<double>>(
      from_proto(tensor(
          {}, 15, [&](pbf_writer& w) { w.add_packed_double(10, doubles.begin(), doubles.end()); })),
      {}, {{0.1, -2}});
  expect_error(ErrorCode::kMalformedData, "expected 4 for shape (2,), got 3", [] {
    const auto three = list<float>({1, 2, 3});
    from_proto(
        tensor({2}, 14, [&](pbf_writer& w) { w.add_packed_float(4, three.begin(), three.end()); }));
  });
}

TEST(TensorProto, SmallTypesLieInInt32Data) {
  const auto with = [](int data_type, std::vector<std::int32_t> values) {
    return tensor({static_cast<std::int64_t>(values.size())}, data_type,
                  [&](pbf_writer& w) { w.add_packed_int32(5, values.begin(), values.end()); });
  };
  expect_values<std::int32_t>(from_proto(with(6, {INT32_MIN, INT32_MAX})), {2},
                              {INT32_MIN, INT32_MAX});
  expect_values<std::int8_t>(from_proto(with(3, {-128, 127})), {2}, {-128, 127});
  expect_values<std::uint8_t>(from_proto(with(2, {0, 255})), {2}, {0, 255});
  expect_values<std::int16_t>(from_proto(with(5, {-32768, 32767})), {2}, {-32768, 32767});
  expect_values<std::uint16_t>(from_proto(with(4, {0, 65535})), {2}, {0, 65535});
  expect_values<Bool>(from_proto(with(9, {0, 1, 2})), {3}, {Bool(false), Bool(true), Bool(true)});
  expect_values<Float16>(from_proto(with(10, {0x3C00, 0xFC00})), {2},
                         {Float16(1.0f), Float16::from_bits(0xFC00)});
  expect_values<BFloat16>(from_proto(with(16, {0x3F80, 0xFF80})), {2},
                          {BFloat16(1.0f), BFloat16::from_bits(0xFF80)});
  for (const auto& [type, value] : {std::pair{3, 128},
                                    {3, -129},
                                    {2, 256},
                                    {2, -1},
                                    {5, 32768},
                                    {4, 65536},
                                    {10, 65536},
                                    {16, -1}})
    expect_error(ErrorCode::kMalformedData, "got " + std::to_string(value),
                 [&] { from_proto(with(type, {value})); });
  expect_error(ErrorCode::kMalformedData, "u32", [] {
    from_proto(tensor({1}, 12, [](pbf_writer& w) { w.add_uint64(11, 1ull << 32); }));
  });
}

TEST(TensorProto, FieldsComeInAnyOrderAndMayRepeat) {
  const auto dims = list<std::int64_t>({2, 1});
  const std::string bytes = message([&](pbf_writer& w) {
    w.add_string(8, "late");
    const auto some = list<std::int64_t>({7});
    w.add_packed_int64(7, some.begin(), some.end());
    w.add_string(12, "a comment");
    w.add_int64(7, 8);
    w.add_int32(2, 7);
    w.add_packed_int64(1, dims.begin(), dims.end());
    w.add_string(99, "of a later version");
  });
  const NamedTensor got = parse_tensor_proto(as_bytes(bytes));
  EXPECT_EQ(got.name, "late");
  expect_values<std::int64_t>(got.tensor, {2, 1}, {7, 8});
}

TEST(TensorProto, UnsupportedElementsAreNamed) {
  const std::pair<int, const char*> types[] = {{8, "STRING"},
                                               {17, "FLOAT8E4M3FN"},
                                               {18, "FLOAT8E4M3FNUZ"},
                                               {19, "FLOAT8E5M2"},
                                               {20, "FLOAT8E5M2FNUZ"},
                                               {21, "UINT4"},
                                               {22, "INT4"},
                                               {23, "FLOAT4E2M1"},
                                               {24, "FLOAT8E8M0"},
                                               {25, "UINT2"},
                                               {26, "INT2"}};
  for (const auto& [type, name] : types)
    expect_error(ErrorCode::kUnsupportedFeature, "got "s + name,
                 [&, t = type] { from_proto(tensor({0}, t, [](pbf_writer&) {})); });
  for (const int type : {0, -1, 27, INT32_MAX})
    expect_error(ErrorCode::kMalformedData, "no such element type",
                 [&] { from_proto(tensor({0}, type, [](pbf_writer&) {})); });
  expect_error(ErrorCode::kUnsupportedFeature, "segments",
               [] { from_proto(tensor({0}, 1, [](pbf_writer& w) { w.add_message(3, ""s); })); });
}

TEST(TensorProto, NumbersOfTypesAreOnesOwnInverse) {
  for (const DType dtype : all_dtypes()) EXPECT_EQ(dtype_from_onnx(onnx_data_type(dtype)), dtype);
}

TEST(TensorProto, EveryCutIsRefused) {
  // The data comes last, so that no cut leaves a whole tensor.
  const Tensor t = sample(DType::kF32, {2, 3});
  expect_every_cut_refused(as_text(write_tensor_proto(t, "x")),
                           [](Bytes cut) { read_tensor_proto(cut); });
  const auto longs = list<std::int64_t>({-1, 300});
  expect_every_cut_refused(
      tensor({2}, 7, [&](pbf_writer& w) { w.add_packed_int64(7, longs.begin(), longs.end()); }),
      [](Bytes cut) { read_tensor_proto(cut); });
}

TEST(TensorProto, AnotherNumberOfValuesIsRefused) {
  expect_error(
      ErrorCode::kMalformedData, "data too short: expected 12 bytes for shape (3,) of f32, got 8",
      [] { from_proto(tensor({3}, 1, [](pbf_writer& w) { w.add_bytes(9, "12345678"); })); });
  expect_error(ErrorCode::kMalformedData, "data too long", [] {
    from_proto(tensor({1}, 1, [](pbf_writer& w) { w.add_bytes(9, "12345678"); }));
  });
  expect_error(ErrorCode::kMalformedData, "in float_data: expected 2 for shape (2,), got 1",
               [] { from_proto(tensor({2}, 1, [](pbf_writer& w) { w.add_float(4, 1); })); });
  expect_error(ErrorCode::kMalformedData, "expected 1 for shape (), got 0",
               [] { from_proto(tensor({}, 1, [](pbf_writer&) {})); });
}

TEST(TensorProto, ValuesLieInOnePlaceOnly) {
  expect_error(ErrorCode::kMalformedData, "only raw_data, got float_data too", [] {
    from_proto(tensor({1}, 1, [](pbf_writer& w) {
      w.add_float(4, 1);
      w.add_bytes(9, "1234");
    }));
  });
  expect_error(ErrorCode::kMalformedData, "only float_data, got int32_data too", [] {
    from_proto(tensor({1}, 1, [](pbf_writer& w) {
      w.add_float(4, 1);
      w.add_int32(5, 1);
    }));
  });
  expect_error(ErrorCode::kMalformedData, "string_data too",
               [] { from_proto(tensor({1}, 1, [](pbf_writer& w) { w.add_string(6, "1.0"); })); });
}

TEST(TensorProto, SizesThatCannotBeAreRefusedBeforeMemoryIsTaken) {
  const auto with = [](std::initializer_list<std::int64_t> dims) {
    return tensor(dims, 11, [](pbf_writer& w) { w.add_double(10, 1); });
  };
  expect_error(ErrorCode::kMalformedData, "another number of values",
               [&] { from_proto(with({1'000'000'000'000})); });
  expect_error(ErrorCode::kSizeOverflow, "too large", [&] { from_proto(with({INT64_MAX, 2})); });
  expect_error(ErrorCode::kSizeOverflow, "too large", [&] { from_proto(with({INT64_MAX / 4})); });
  expect_error(ErrorCode::kSizeOverflow, "negative extent", [&] { from_proto(with({-1})); });
  expect_error(ErrorCode::kSizeOverflow, "negative extent", [&] { from_proto(with({-1, -1})); });
  expect_error(ErrorCode::kRankTooLarge, "at most 64", [] {
    const std::vector<std::int64_t> ones(65, 1);
    from_proto(message([&](pbf_writer& w) { w.add_packed_int64(1, ones.begin(), ones.end()); }));
  });
}

TEST(TensorProto, OtherMessagesAreRefused) {
  expect_error(ErrorCode::kMalformedData, "expected a data_type, got none", [] { from_proto(""); });
  expect_error(ErrorCode::kMalformedData, "a protocol buffer message",
               [] { from_proto("\x93NUMPY..."); });
  expect_error(ErrorCode::kMalformedData, "another wire type for field data_type",
               [] { from_proto(message([](pbf_writer& w) { w.add_string(2, "FLOAT"); })); });
  expect_error(ErrorCode::kMalformedData, "another wire type for field raw_data",
               [] { from_proto(message([](pbf_writer& w) { w.add_int32(9, 1); })); });
  expect_error(ErrorCode::kMalformedData, "another wire type for field float_data",
               [] { from_proto(message([](pbf_writer& w) { w.add_double(4, 1); })); });
  expect_error(ErrorCode::kMalformedData, "a protocol buffer message",
               [] { from_proto(tensor({1}, 1, [](pbf_writer& w) { w.add_bytes(4, "12345"); })); });
  expect_error(ErrorCode::kMalformedData, "bad data_location",
               [] { from_proto(tensor({1}, 1, [](pbf_writer& w) { w.add_int32(14, 2); })); });
}

TEST(TensorProto, ErrorsNameTheTensor) {
  expect_error(ErrorCode::kMalformedData, "[TensorProto: tensor 'weight'] data too short", [] {
    from_proto(tensor({2}, 1, [](pbf_writer& w) {
      w.add_string(8, "weight");
      w.add_bytes(9, "1234");
    }));
  });
}

}  // namespace
}  // namespace tenfold::io::testing
