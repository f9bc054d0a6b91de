# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves behind; filled in beside the targets it installs.
