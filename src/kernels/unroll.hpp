// TENFOLD_UNROLL: unroll the next loop whole, so that arrays of accumulators live in registers.
// Used by the SIMD kernels only.
#pragma once

#if defined(__clang__)
#define TENFOLD_UNROLL _Pragma("unroll")
#else
#define TENFOLD_UNROLL _Pragma("GCC unroll 32")
#endif
