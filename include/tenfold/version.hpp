// The version of the library. CMakeLists.txt takes the project's version from here.
// Included by the umbrella; used by `tenfold info`.
#pragma once

#define TENFOLD_VERSION "0.1.0"
#define TENFOLD_VERSION_MAJOR 0
#define TENFOLD_VERSION_MINOR 1
#define TENFOLD_VERSION_PATCH 0
