#include "io/tensor_proto.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string_view>
#include <utility>

#include "io/elements.hpp"
#include "io/external_data.hpp"

namespace tenfold::io {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// TensorProto.DataType, indexed by its number.
struct OnnxType {
  std::string_view name;
  std::optional<DType> dtype;
};
constexpr OnnxType kOnnxTypes[] = {
    {"UNDEFINED", {}},
    {"FLOAT", DType::kF32},
    {"UINT8", DType::kU8},
    {"INT8", DType::kI8},
    {"UINT16", DType::kU16},
    {"INT16", DType::kI16},
    {"INT32", DType::kI32},
    {"INT64", DType::kI64},
    {"STRING", {}},
    {"BOOL", DType::kBool},
    {"FLOAT16", DType::kF16},
    {"DOUBLE", DType::kF64},
    {"UINT32", DType::kU32},
    {"UINT64", DType::kU64},
    {"COMPLEX64", DType::kC64},
    {"COMPLEX128", DType::kC128},
    {"BFLOAT16", DType::kBF16},
    {"FLOAT8E4M3FN", {}},
    {"FLOAT8E4M3FNUZ", {}},
    {"FLOAT8E5M2", {}},
    {"FLOAT8E5M2FNUZ", {}},
    {"UINT4", {}},
    {"INT4", {}},
    {"FLOAT4E2M1", {}},
    {"FLOAT8E8M0", {}},
    {"UINT2", {}},
    {"INT2", {}},
};

// Field numbers of TensorProto in onnx.proto.
enum Field : protozero::pbf_tag_type {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14,
};
constexpr int kFieldCount = 15;
constexpr std::string_view kFieldNames[kFieldCount] = {
    "",           "dims",          "data_type",    "segment",
    "float_data", "int32_data",    "string_data",  "int64_data",
    "name",       "raw_data",      "double_data",  "uint64_data",
    "doc_string", "external_data", "data_location"};

// The field that holds elements of type T, and the type its values have in the message.
template <class T>
struct Typed {
  using Value = std::int32_t;
  static constexpr Field kField = kInt32Data;
};
template <Field field, class V>
struct TypedAs {
  using Value = V;
  static constexpr Field kField = field;
};
template <>
struct Typed<float> : TypedAs<kFloatData, float> {};
template <>
struct Typed<double> : TypedAs<kDoubleData, double> {};
template <>
struct Typed<std::complex<float>> : TypedAs<kFloatData, float> {};  // real part, imaginary part
template <>
struct Typed<std::complex<double>> : TypedAs<kDoubleData, double> {};
template <>
struct Typed<std::int64_t> : TypedAs<kInt64Data, std::int64_t> {};
template <>
struct Typed<std::uint32_t> : TypedAs<kUint64Data, std::uint64_t> {};
template <>
struct Typed<std::uint64_t> : TypedAs<kUint64Data, std::uint64_t> {};

[[noreturn]] void wrong_wire_type(const pbf_reader& reader) {
  malformed("not a TensorProto",
            "another wire type for field " + std::string(kFieldNames[reader.tag()]),
            std::to_string(static_cast<int>(reader.wire_type())));
}

std::int64_t varint_field(pbf_reader& reader) {
  if (reader.wire_type() != pbf_wire_type::varint) wrong_wire_type(reader);
  return reader.get_int64();
}

protozero::data_view bytes_field(pbf_reader& reader) {
  if (reader.wire_type() != pbf_wire_type::length_delimited) wrong_wire_type(reader);
  return reader.get_view();
}

// Calls f with each value of the repeated field that the reader stands at, packed or not.
template <class Value, class F>
void each_value(pbf_reader& reader, F&& f) {
  if (reader.wire_type() == pbf_wire_type::length_delimited) {
    const auto values = [&] {
      if constexpr (std::is_same_v<Value, float>) return reader.get_packed_float();
      if constexpr (std::is_same_v<Value, double>) return reader.get_packed_double();
      if constexpr (std::is_same_v<Value, std::int32_t>) return reader.get_packed_int32();
      if constexpr (std::is_same_v<Value, std::int64_t>) return reader.get_packed_int64();
      if constexpr (std::is_same_v<Value, std::uint64_t>) return reader.get_packed_uint64();
    }();
    for (const Value value : values) f(value);
  } else if constexpr (std::is_same_v<Value, float>) {
    if (reader.wire_type() != pbf_wire_type::fixed32) wrong_wire_type(reader);
    f(reader.get_float());
  } else if constexpr (std::is_same_v<Value, double>) {
    if (reader.wire_type() != pbf_wire_type::fixed64) wrong_wire_type(reader);
    f(reader.get_double());
  } else {
    f(static_cast<Value>(varint_field(reader)));
  }
}

// What a first pass over the message finds. Typed values are only counted, so that their number can
// be compared with the shape before memory is taken.
struct Found {
  Dims shape;
  std::optional<std::int64_t> data_type;
  std::string name;
  std::optional<protozero::data_view> raw;
  bool external = false;
  ExternalRange range;
  std::array<std::int64_t, kFieldCount> counts = {};
};

void add_dim(Found& found, std::int64_t extent) {
  if (found.shape.size() == kMaxRank)
    throw Error(ErrorCode::kRankTooLarge, {}, "rank too large",
                "at most " + std::to_string(kMaxRank) + " dims", "more");
  found.shape.push_back(extent);
}

std::int64_t decimal(std::string_view key, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    malformed("bad " + std::string(key) + " of external data", "a whole number, 0 or more",
              in_quotes(text));
  return value;
}

// One StringStringEntryProto: key = 1, value = 2. Keys that say nothing of the place are ignored.
void add_external_entry(Found& found, pbf_reader entry) {
  std::string key, value;
  while (entry.next()) {
    if (entry.tag() == 1 && entry.wire_type() == pbf_wire_type::length_delimited)
      key = entry.get_string();
    else if (entry.tag() == 2 && entry.wire_type() == pbf_wire_type::length_delimited)
      value = entry.get_string();
    else
      entry.skip();
  }
  if (key == "location") found.range.location = value;
  if (key == "offset") found.range.offset = decimal(key, value);
  if (key == "length") found.range.length = decimal(key, value);
}

void add_field(Found& found, pbf_reader& reader) {
  const auto tag = reader.tag();
  const auto count = [&](auto) { ++found.counts[tag]; };
  switch (tag) {
    case kDims:
      return each_value<std::int64_t>(reader, [&](std::int64_t v) { add_dim(found, v); });
    case kDataType:
      found.data_type = varint_field(reader);
      return;
    case kSegment:
      throw Error(ErrorCode::kUnsupportedFeature, {}, "tensor in segments is not supported");
    case kFloatData:
      return each_value<float>(reader, count);
    case kInt32Data:
      return each_value<std::int32_t>(reader, count);
    case kInt64Data:
      return each_value<std::int64_t>(reader, count);
    case kDoubleData:
      return each_value<double>(reader, count);
    case kUint64Data:
      return each_value<std::uint64_t>(reader, count);
    case kStringData:
      bytes_field(reader);
      return count(0);
    case kName:
      found.name = std::string(bytes_field(reader));
      return;
    case kRawData:
      found.raw = bytes_field(reader);
      return;
    case kExternalData:
      return add_external_entry(found, pbf_reader(bytes_field(reader)));
    case kDataLocation: {
      const std::int64_t place = varint_field(reader);
      if (place != 0 && place != 1) malformed("bad data_location", "0 or 1", std::to_string(place));
      found.external = place == 1;
      return;
    }
    default:
      reader.skip();
  }
}

// One element from the value that stands for it; a value that the type cannot hold is refused.
template <class T, class Value>
T element_from(Value value) {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_same_v<T, Bool>) {
    return Bool(value != 0);
  } else if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<T>(value))
      malformed("value out of range", std::string(name_of(dtype_of<T>)), std::to_string(value));
    return static_cast<T>(value);
  } else {  // a 16-bit float: its bits
    if (!std::in_range<std::uint16_t>(value))
      malformed("value out of range", "the 16 bits of " + std::string(name_of(dtype_of<T>)),
                std::to_string(value));
    return T::from_bits(static_cast<std::uint16_t>(value));
  }
}

// What a value of a typed field fills: an element, or one of the two parts of a complex number.
template <class T>
struct PartOf {
  using Type = T;
};
template <class P>
struct PartOf<std::complex<P>> {
  using Type = P;
};

// The elements kept one by one in the field of their type.
template <class T>
Tensor typed_tensor(const Found& found, protozero::data_view message) {
  using Value = typename Typed<T>::Value;
  const Dims& shape = found.shape;
  byte_count(dtype_of<T>, shape);
  using Part = typename PartOf<T>::Type;
  const std::int64_t count = found.counts[Typed<T>::kField];
  const std::int64_t expected = element_count(shape) * (is_complex_type<T> ? 2 : 1);
  if (count != expected)
    malformed("another number of values in " + std::string(kFieldNames[Typed<T>::kField]),
              std::to_string(expected) + " for shape " + to_string(shape), std::to_string(count));
  Tensor tensor(dtype_of<T>, shape);
  Part* to = reinterpret_cast<Part*>(tensor.values<T>().data());
  for (pbf_reader reader(message); reader.next();) {
    if (reader.tag() == Typed<T>::kField)
      each_value<Value>(reader, [&](Value v) { *to++ = element_from<Part>(v); });
    else
      reader.skip();
  }
  return tensor;
}

// The data must be in one place only: raw, external, or the one typed field.
Tensor tensor_from(const Found& found, protozero::data_view message,
                   const std::optional<std::filesystem::path>& folder) {
  if (!found.data_type) malformed("not a TensorProto", "a data_type", "none");
  const DType dtype = dtype_from_onnx(*found.data_type);
  const Field typed = visit_dtype(dtype, []<class T>() { return Typed<T>::kField; });
  for (int field = 0; field < kFieldCount; ++field)
    if (found.counts[field] != 0 &&
        (found.raw || found.external || static_cast<Field>(field) != typed))
      malformed("values in a second place",
                found.external ? "external data only"
                               : "only " + std::string(kFieldNames[found.raw ? kRawData : typed]),
                std::string(kFieldNames[field]) + " too");
  if (found.external) {
    if (found.raw) malformed("values in a second place", "external data only", "raw_data too");
    if (!folder)
      throw Error(ErrorCode::kUnsupportedFeature, {}, "external data needs the file's folder",
                  "a tensor read from a file");
    return read_external(*folder, found.range, dtype, found.shape);
  }
  if (found.raw) {
    const Bytes raw(reinterpret_cast<const std::byte*>(found.raw->data()), found.raw->size());
    return tensor_from_bytes(raw, dtype, found.shape, Trailing::kRefused);
  }
  return visit_dtype(dtype, [&]<class T>() { return typed_tensor<T>(found, message); });
}

}  // namespace

DType dtype_from_onnx(std::int64_t data_type) {
  const auto known = static_cast<std::int64_t>(std::size(kOnnxTypes));
  if (data_type <= 0 || data_type >= known)
    malformed("no such element type", "1 .. " + std::to_string(known - 1),
              std::to_string(data_type));
  const OnnxType& row = kOnnxTypes[data_type];
  if (!row.dtype)
    throw Error(ErrorCode::kUnsupportedFeature, {}, "element type not supported",
                "a complex, float, integer or bool type of 8 bits and more", std::string(row.name));
  return *row.dtype;
}

std::int32_t onnx_data_type(DType dtype) {
  for (std::size_t i = 0; i < std::size(kOnnxTypes); ++i)
    if (kOnnxTypes[i].dtype == dtype) return static_cast<std::int32_t>(i);
  __builtin_unreachable();  // every DType has its row
}

NamedTensor parse_tensor_proto(Bytes message, const std::optional<std::filesystem::path>& folder) {
  const protozero::data_view view(reinterpret_cast<const char*>(message.data()), message.size());
  Found found;
  try {
    for (pbf_reader reader(view); reader.next();) add_field(found, reader);
    Tensor tensor = tensor_from(found, view, folder);
    return {std::move(found.name), std::move(tensor)};
  } catch (const protozero::exception& e) {
    throw Error(ErrorCode::kMalformedData, {}, "not a TensorProto", "a protocol buffer message",
                e.what());
  } catch (const Error& e) {
    if (found.name.empty()) throw;
    throw e.within("tensor " + in_quotes(found.name));
  }
}

Tensor read_tensor_proto(Bytes bytes, const ReadOptions&) {
  return located("TensorProto", [&] { return parse_tensor_proto(bytes).tensor; });
}

std::vector<std::byte> write_tensor_proto(const TensorView& tensor, std::string_view name) {
  return located("TensorProto", [&] {
    const DenseBytes dense(tensor);
    std::string out;
    protozero::pbf_writer writer(out);
    for (std::int64_t extent : tensor.shape) writer.add_int64(kDims, extent);
    writer.add_int32(kDataType, onnx_data_type(tensor.dtype));
    if (!name.empty()) writer.add_string(kName, name.data(), name.size());
    const Bytes data = dense.bytes();
    writer.add_bytes(kRawData, reinterpret_cast<const char*>(data.data()), data.size());
    const auto* begin = reinterpret_cast<const std::byte*>(out.data());
    return std::vector<std::byte>(begin, begin + out.size());
  });
}

}  // namespace tenfold::io
