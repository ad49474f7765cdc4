// What all readers share: sizes checked before memory is taken, bytes turned into elements, errors
// that say where they happened. Called by the readers of this folder only.
#pragma once

#include <bit>
#include <new>
#include <string>
#include <string_view>

#include "tenfold/error.hpp"
#include "tenfold/io.hpp"

namespace tenfold::io {

// Every format here is little-endian first; a big-endian host would need swaps in all of them.
static_assert(std::endian::native == std::endian::little);

// Runs f and puts `outer` in front of the place that an Error names. Memory that could not be had
// becomes an Error too.
template <class F>
decltype(auto) located(std::string_view outer, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw e.within(outer);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kOutOfMemory, std::string(outer), "out of memory");
  }
}

// A name out of a file, in quotes, fit for a message: control bytes as \xNN, cut after 80 bytes.
std::string in_quotes(std::string_view name);

[[noreturn]] void malformed(std::string mistake, std::string expected = {}, std::string got = {});

// The bytes of a dense tensor; throws Error(kSizeOverflow) for a negative extent or past 2^63.
std::int64_t byte_count(DType dtype, const Dims& shape);
// "96 bytes for shape (2, 3, 4) of f32".
std::string needed_text(DType dtype, const Dims& shape);

enum class Trailing { kRefused, kIgnored };
// A tensor of the elements in `data`, little-endian and row-major. The length is compared before
// any memory is taken. Booleans come out as 0 and 1.
Tensor tensor_from_bytes(Bytes data, DType dtype, const Dims& shape, Trailing trailing);
// Any non-zero byte of a bool tensor becomes 1; other types are left alone.
void normalise_bools(Tensor& tensor);

// The dense row-major bytes of a view, copied only when it is strided. Holds its copy.
class DenseBytes {
 public:
  explicit DenseBytes(const TensorView& view);
  Bytes bytes() const { return bytes_; }

 private:
  Tensor copy_;
  Bytes bytes_;
};

}  // namespace tenfold::io
