// The extension module tenfold._core: what the Python package is made of. Not for users.
#include "arrays.hpp"
#include "ndarrays.hpp"
#include "tenfold/machine.hpp"
#include "tenfold/version.hpp"

#include <nanobind/stl/string.h>

NB_MODULE(_core, m) {
  using namespace tenfold::python;
  m.attr("__version__") = TENFOLD_VERSION;
  m.def("set_num_threads", &set_num_threads);
  m.def("num_threads", &num_threads);
  m.def("simd_target", &tenfold::simd_target);
  import_ndarrays();
  bind_errors(m);
  bind_reduce(m);
  bind_einsum(m);
  bind_graph(m);
}
