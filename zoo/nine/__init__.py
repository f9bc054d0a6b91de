# SPDX-License-Identifier: Apache-2.0
"""The nine dynamic networks of the method's evaluation."""
