// The types of a row by name, for the tests of the tables. Included by operators_test.cpp and
// contractions_test.cpp only.
#pragma once

#include <set>
#include <string>

#include "tenfold/standards.hpp"

namespace tenfold::testing {

using Names = std::set<std::string>;

inline Names names_of(DTypeSet types) {
  Names names;
  for (int i = 0; i < kDTypeCount; ++i)
    if (types.contains(static_cast<DType>(i)))
      names.insert(std::string(name_of(static_cast<DType>(i))));
  return names;
}

}  // namespace tenfold::testing
