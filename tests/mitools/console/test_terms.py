import pytest

from mitools.console import (
    ARCH,
    Terms,
    UserError,
    check_arch,
    choice,
    integer,
    key,
    pairs,
    phrase,
    product,
    source,
    word,
)
from mitools.console.files import forget_claims, remove_claimed

TERMS = Terms(
    "paint",
    "builds a layout",
    source("source", "FILE", "the layout", required=True),
    product("image", "FILE", "the image"),
    key("lib", "FOLDER", "where to look", repeat=True, may_be_empty=True),
    pairs("set", "NAME=VALUE", "a value"),
    integer("threads", "N", "processes", default=1, least=1, most=64),
    choice("json", ("0", "1"), "a summary"),
    word("verbose", "say more"),
    phrase("toolname", ("EXT", "TOOL"), "a compiler"),
    ARCH,
)


@pytest.fixture(autouse=True)
def no_claims():
    yield
    forget_claims()


def parse(text: str):
    return TERMS.parse(text.split())


def message(text: str) -> str:
    with pytest.raises(UserError) as caught:
        parse(text)
    return caught.value.render()


def test_terms_come_in_any_order():
    given = parse(
        "verbose toolname w carbide set=N=4 lib=a source=b.paint lib= set=E=x=y threads=0x10"
    )
    assert given.source == "b.paint"
    assert given.lib == ("a", "")
    assert given.set == {"N": "4", "E": "x=y"}
    assert given.threads == 16
    assert given.verbose is True
    assert given.toolname == (("w", "carbide"),)
    assert (given.image, given.arch, given.json) == (None, None, None)


def test_words_of_a_phrase_may_look_like_terms():
    assert parse("source=a toolname help=1 verbose").toolname == (("help=1", "verbose"),)


def test_an_equals_sign_belongs_to_the_value():
    assert parse("source=a=b").source == "a=b"


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ("sorce=a source=b", "paint has no key `sorce=`\nhelp: did you mean `source`?"),
        ("source=b verbos", "paint has no word `verbos`\nhelp: did you mean `verbose`?"),
        ("source=b --verbose", "help: terms have no dashes: verbose"),
        ("source=b Threads=1", "help: did you mean `threads`?"),
        ("image=a", "`source=` is missing: the layout\nhelp: add source=FILE"),
        ("source=", "`source=` has no value"),
        ("source", "`source` needs a value: source=FILE"),
        ("source=a source=b", "`source=` is given twice"),
        ("source=a verbose=1", "`verbose` takes no value"),
        ("source=a threads=x", "threads=`x` is not a whole number"),
        ("source=a threads=1_0", "threads=`1_0` is not a whole number"),
        ("source=a threads=0", "threads=`0` is less than 1"),
        ("source=a threads=65", "threads=`65` is more than 64"),
        (f"source=a threads={'9' * 9999}", "is not a whole number"),
        ("source=a json=2", "json=`2` is none of 0, 1"),
        ("source=a set=N", "set=`N` is not of the form NAME=VALUE"),
        ("source=a set=N=1 set=N=2", "`set=N=` is given twice"),
        ("source=a toolname w", "`toolname` is written toolname EXT TOOL"),
        ("source=a arch=sdx", "known: sdr; did you mean `sdr`?"),
    ],
)
def test_mistakes_are_named(terms, expected):
    text = message(terms)
    assert expected in text
    assert "`paint help` lists the terms" in text


def test_all_mistakes_are_reported_together():
    assert message("threads=x imag=b").count("error:") == 3


def test_help_and_version_end_the_command(capsys):
    for terms in ("help", "--help", "nonsense help"):
        with pytest.raises(SystemExit) as end:
            parse(terms)
        assert end.value.code == 0
        text = capsys.readouterr().out
        assert "toolname EXT TOOL" in text and "source=FILE" in text and "(default 1)" in text
    with pytest.raises(SystemExit):
        parse("version")
    assert capsys.readouterr().out.startswith("paint 0.")


def test_outputs_are_claimed_unless_they_are_inputs(tmp_path):
    for name in ("in", "out"):
        (tmp_path / name).write_text(name)
    parse(f"source={tmp_path}/in image={tmp_path}/out")
    remove_claimed()
    assert not (tmp_path / "out").exists()
    parse(f"source={tmp_path}/in image={tmp_path}/../{tmp_path.name}/in")
    remove_claimed()
    assert (tmp_path / "in").exists()


def test_arch_is_checked_against_the_file():
    check_arch(None, "sdr", "a.img")
    check_arch("sdr", "sdr", "a.img")
    with pytest.raises(UserError, match=r"a.img is for the machine other, not for arch=sdr"):
        check_arch("sdr", "other", "a.img")
