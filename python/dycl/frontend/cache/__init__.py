# SPDX-License-Identifier: Apache-2.0
"""What is known of leaf calls, remembered on disk between compilations.

An entry is found again by everything it depends on: the call's structure as text (keys.py), and the versions
of what made it (versions.py). What has no such text is made anew each time.
"""

from dycl.frontend.cache.keys import name_function
from dycl.frontend.cache.store import Store

__all__ = ["Store", "name_function"]
