// TENFOLD_API marks what the shared library exports; everything else stays hidden.
// Included by the public headers only.
#pragma once

#if defined(__GNUC__)
#define TENFOLD_API __attribute__((visibility("default")))
#else
#define TENFOLD_API
#endif
