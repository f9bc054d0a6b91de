# SPDX-License-Identifier: Apache-2.0
import dycl
import pytest


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of its own: what the tests find in it they have put there. torch's headers, which take a
    minute to compile, are those of every run."""
    mine = tmp_path_factory.mktemp("cache")
    usual = dycl._core.user_cache_folder() / "compiled" / "torch"
    usual.mkdir(parents=True, exist_ok=True)
    (mine / "dycl" / "compiled").mkdir(parents=True)
    (mine / "dycl" / "compiled" / "torch").symlink_to(usual)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(mine))
        yield mine / "dycl" / "compiled" / "aot_inductor"
