import pytest
from stats import mean


def test_mean_without_sockets(socket_disabled):
    assert mean([1, 2, 3]) == 2


def test_after():
    assert mean([0, 0]) == 0


@pytest.mark.enable_socket
def test_mean_with_sockets():
    assert mean([2, 3, 4]) == 3
