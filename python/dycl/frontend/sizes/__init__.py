# SPDX-License-Identifier: Apache-2.0
"""Types of leaf calls, whose sizes may be known at run time only: declared, computed and tried out.

It is below the compiler, which imports it, and above the operators. Its answers are classes of
dycl._core.
"""

import logging

# torch.export brings it along, and it warns where triton is missing, which nothing here uses.
logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)
