// Any bytes as a safetensors file, one tensor and those that carry the names of the corpus: what is
// accepted is no larger than the file and comes back as it was.
#include <array>

#include "io/members.hpp"
#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  for (const char* member : {"", "a", "b"}) {
    const auto tensor = fuzz::accepted(
        [&] { return io::read_safetensors(fuzz::bytes_of(data, size), {.member = member}); });
    if (!tensor) continue;
    TENFOLD_PROPERTY(static_cast<std::size_t>(tensor->bytes()) < size);
    const auto written = io::write_safetensors(std::array{io::NamedView{"a", *tensor}});
    TENFOLD_PROPERTY(fuzz::same(io::read_safetensors(written), *tensor));
  }
  return 0;
}
