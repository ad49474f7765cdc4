// The umbrella: everything a user may include.
#pragma once

#include "tenfold/dtype.hpp"
#include "tenfold/einsum.hpp"
#include "tenfold/error.hpp"
#include "tenfold/executor.hpp"
#include "tenfold/graph.hpp"
#include "tenfold/io.hpp"
#include "tenfold/machine.hpp"
#include "tenfold/reduce.hpp"
#include "tenfold/standards.hpp"
#include "tenfold/tensor.hpp"
#include "tenfold/version.hpp"
