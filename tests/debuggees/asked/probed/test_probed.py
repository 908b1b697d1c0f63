import probed


def test_probed():
    assert probed.mean([2, 2]) + probed.thrice(2) == 8
