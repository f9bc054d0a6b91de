# SPDX-License-Identifier: Apache-2.0
"""Tells `make test-all` which suite a test counts for (see scripts/check_floors.py)."""

import pytest


@pytest.fixture(autouse=True)
def _name_the_suite(request, record_property):
    marker = request.node.get_closest_marker("suite")
    if marker:
        record_property("suite", marker.args[0])


def pytest_addoption(parser):
    parser.addoption("--regenerate", action="store_true", help="write golden files anew instead of comparing")
