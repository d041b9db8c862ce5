import resource
import sys

import pytest
import torch

from goldviz.training.memory import keep_freed_memory


@pytest.mark.skipif(sys.platform != "linux", reason="page faults of glibc's allocator")
def test_a_repeated_allocation_pays_for_its_pages_once():
    def faults():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        blocks = [torch.ones(50_000) for _ in range(60)]
        del blocks
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    keep_freed_memory()
    faults()
    assert min(faults() for _ in range(5)) < 100
