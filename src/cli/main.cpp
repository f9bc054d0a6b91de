// SPDX-License-Identifier: Apache-2.0
#include "cli/application.h"

int main(int argument_count, char** arguments) {
  return dycl::cli::run_application(argument_count, arguments);
}
