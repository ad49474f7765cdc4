// Any bytes as an .npz archive, one member and all that carry the names of the corpus: what is
// accepted is no larger than deflate can make it and comes back as it was.
#include <array>

#include "io/members.hpp"
#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  constexpr std::size_t kBestRatio = 1032;
  for (const char* member : {"", "a", "b"}) {
    const io::ReadOptions options{.dtype = DType::kBF16, .member = member};
    const auto tensor =
        fuzz::accepted([&] { return io::read_npz(fuzz::bytes_of(data, size), options); });
    if (!tensor) continue;
    TENFOLD_PROPERTY(static_cast<std::size_t>(tensor->bytes()) < size * kBestRatio);
    const auto written = io::write_npz(std::array{io::NamedView{"a", *tensor}});
    TENFOLD_PROPERTY(fuzz::same(io::read_npz(written, {.dtype = DType::kBF16}), *tensor));
  }
  return 0;
}
