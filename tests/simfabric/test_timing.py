"""Timing files: good ones replace, bad ones are refused with the place."""

import pytest

from mitools.arch import load
from mitools.console import UserError
from simfabric.timing import read_timing

SDR = load("sdr")


def read(tmp_path, text):
    path = tmp_path / "slow.toml"
    path.write_text(text)
    return read_timing(str(path), SDR)


def test_values_replace_the_table(tmp_path):
    arch = read(tmp_path, "hop = 3 # slow links\nfloat_multiply_add = [1, 4]\n")
    assert arch.timing.hop == 3 and arch.timing.float_multiply_add == (1, 4)
    assert arch.timing.copy16 == SDR.timing.copy16 and arch.router == SDR.router


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hops = 3", "did you mean `hop`?"),
        ("copy16 = 8", "must be a rate"),
        ("copy16 = [0, 1]", "must be a rate"),
        ("copy16 = [8, 0]", "must be a rate"),
        ("\nhop = -1", "slow.toml:2:1: error: `hop` must be a whole number"),
        ("hop = true", "must be a whole number"),
        ("hop 3", "this is no timing file"),
        ("hop = 1.5\nscalar = 'x'", "`scalar` must be"),
    ],
)
def test_bad_files(tmp_path, text, said):
    with pytest.raises(UserError) as error:
        read(tmp_path, text)
    assert said in error.value.render()
