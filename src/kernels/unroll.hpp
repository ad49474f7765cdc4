// TENFOLD_UNROLL: unroll the next loop whole, so that arrays of accumulators live in registers.
// TENFOLD_NO_UNROLL: don't, where the compiler knows the trips and would string them all together.
// Used by the SIMD kernels only.
#pragma once

#if defined(__clang__)
#define TENFOLD_UNROLL _Pragma("unroll")
#define TENFOLD_NO_UNROLL _Pragma("nounroll")
#else
#define TENFOLD_UNROLL _Pragma("GCC unroll 32")
#define TENFOLD_NO_UNROLL _Pragma("GCC unroll 1")
#endif
