# SPDX-License-Identifier: Apache-2.0
"""Models that go beyond the method's evaluation."""
