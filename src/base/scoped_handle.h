// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace dycl {

// Owns a vendor or system handle from the line that obtains it: ScopedHandle<FILE>(fopen(…), fclose).
template <class T>
using ScopedHandle = std::unique_ptr<T, void (*)(T*)>;

}  // namespace dycl
