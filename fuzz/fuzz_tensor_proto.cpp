// Any bytes as an ONNX TensorProto: what is accepted has at most eight bytes for each byte of the
// message, and comes back as it was. External data is asked for in a folder that is none: every
// path is checked, no file is opened.
#include "io/tensor_proto.hpp"

#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  const io::Bytes bytes = fuzz::bytes_of(data, size);
  const auto tensor = fuzz::accepted([&] { return io::read_tensor_proto(bytes); });
  if (tensor) {
    TENFOLD_PROPERTY(static_cast<std::size_t>(tensor->bytes()) <= size * 8);
    const auto written = io::write_tensor_proto(*tensor, "name");
    TENFOLD_PROPERTY(fuzz::same(io::read_tensor_proto(written), *tensor));
  }
  try {
    const io::NamedTensor named = io::parse_tensor_proto(bytes, "/dev/null");
    TENFOLD_PROPERTY(tensor && fuzz::same(named.tensor, *tensor));
  } catch (const Error&) {
    TENFOLD_PROPERTY(!tensor);
  }
  return 0;
}
