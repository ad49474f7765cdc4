// Any bytes as an .npy file: what is accepted is no larger than the file and comes back as it was.
#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  for (const bool bfloat16 : {false, true}) {
    io::ReadOptions options;
    if (bfloat16) options.dtype = DType::kBF16;
    const auto tensor =
        fuzz::accepted([&] { return io::read_npy(fuzz::bytes_of(data, size), options); });
    if (!tensor) continue;
    TENFOLD_PROPERTY(static_cast<std::size_t>(tensor->bytes()) < size);
    TENFOLD_PROPERTY(fuzz::same(io::read_npy(io::write_npy(*tensor), options), *tensor));
  }
  return 0;
}
