import pytest
import torch

from goldviz.training.devices import ACCELERATORS, DeviceError, device_name, resolve

PRESENT = [name for name, (_, available) in ACCELERATORS.items() if available()]


def test_auto_takes_an_accelerator_if_there_is_one():
    assert resolve("auto").type == (PRESENT[0] if PRESENT else "cpu")
    assert resolve("cpu") == torch.device("cpu")
    assert device_name(resolve("cpu")).startswith("CPU")


@pytest.mark.parametrize("device", [name for name in (*ACCELERATORS, "abacus") if name not in PRESENT])
def test_an_absent_device_is_refused_in_a_sentence(device):
    reason = f"this machine has no {ACCELERATORS[device][0]}" if device in ACCELERATORS else "there is no such device"
    with pytest.raises(DeviceError) as error:
        resolve(device)
    assert (
        str(error.value) == f"Device is {device!r}, but {reason}; allowed here: {', '.join(['auto', 'cpu', *PRESENT])}."
    )
