// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "subject.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dycl::conformance::set_arguments({argv + 1, argv + argc});
  return RUN_ALL_TESTS();
}
