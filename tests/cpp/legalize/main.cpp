// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

#include "legalize/golden.h"

// --regenerate writes what the rules write now into the .after.hcfg files instead of comparing.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int index = 1; index < argc; ++index)
    if (std::string_view(argv[index]) == "--regenerate") dycl::testing::set_regenerate_goldens();
  return RUN_ALL_TESTS();
}
