from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest

from dap_ai.agent.masking.mask import MaskedSecret, MaskedStream, Masker, PatternError
from dap_ai.agent.masking.secret_shapes import _shapes
from tests.unit.agent.secrets_planted import (
    KNOWN,
    ORDINARY,
    Planted,
    all_planted,
    forms_of,
    key_block,
    named,
    shaped,
)
from tests.unit.agent.secrets_spelled import LOOK_ALIKES, SPELLED

PLACEHOLDER = r"<secret:(?:part:)?[0-9a-f]{4,}>"
GITHUB = shaped()["github"]
UNSEEN = {
    "wordpress salt", "npmrc", "twilio", "csv", "hmac new", "compiled", "set of tokens", "thread args", "pepper",
    "encryption key", "htpasswd command", "log line colon", "f-string", "percent format", "pytest diff", "columns", "table",
}  # fmt: skip
"""Of `SPELLED`, what is not recognised: values like words beside names of much else, and what stands in columns."""


@pytest.fixture
def masker() -> Masker:
    return Masker(key=b"k" * 32)


def placeholder(masked: str) -> str:
    found = re.search(PLACEHOLDER, masked)
    assert found, masked
    return found[0]


def remaining(planted: list[Planted]) -> list[str]:
    return [f"{p.what}: {masked}" for p in planted if p.secret in (masked := Masker().mask(p.text))]


def test_at_least_sixty_different_secrets_are_planted_in_over_two_thousand_places() -> None:
    assert len({*shaped().values(), *named().values()}) >= 60
    assert len(list(all_planted())) > 2000


def test_no_planted_secret_remains_in_any_place() -> None:
    assert remaining(list(all_planted())) == []


def test_ordinary_strings_stay_as_they_are(masker: Masker) -> None:
    assert len(ORDINARY) >= 200
    assert [line for line in ORDINARY if masker.mask(line) != line] == []


def test_secrets_are_found_in_the_spellings_of_real_programs() -> None:
    assert len(SPELLED) >= 200
    assert {p.what for p in SPELLED if p.secret in Masker().mask(p.text)} == UNSEEN


def test_what_looks_like_a_secret_and_is_none_stays_as_it_is() -> None:
    assert len(LOOK_ALIKES) >= 100
    assert [(what, text) for what, text in LOOK_ALIKES if Masker().mask(text) != text] == []


def test_ordinary_strings_stay_as_one_text(masker: Masker) -> None:
    text = "\n".join(ORDINARY)
    assert masker.mask(text) == text


def test_masking_twice_changes_nothing_more() -> None:
    for planted in all_planted():
        masker = Masker()
        once = masker.mask(planted.text)
        assert masker.mask(once) == once, planted.what
        assert Masker().mask(once) == once, planted.what


def test_a_placeholder_of_another_session_stays(masker: Masker) -> None:
    text = "password = '<secret:beef>', token=<secret:12ab34cd> <secret:0000>...+30 chars"
    assert masker.mask(text) == text


def test_what_stands_around_a_secret_stays(masker: Masker) -> None:
    masked = masker.mask("connect(host='db', password='hunter2', port=5432)")
    assert re.fullmatch(rf"connect\(host='db', password='{PLACEHOLDER}', port=5432\)", masked)
    masked = masker.mask("postgres://bob:hunter2@db:5432/shop")
    assert re.fullmatch(rf"postgres://bob:{PLACEHOLDER}@db:5432/shop", masked)
    masked = masker.mask(key_block())
    assert re.fullmatch(rf"-----BEGIN RSA PRIVATE KEY-----\n{PLACEHOLDER}\n-----END RSA PRIVATE KEY-----", masked)


def test_equal_secrets_have_equal_placeholders_wherever_they_stand(masker: Masker) -> None:
    places = [
        "password='tr0ub4dor'",
        '{"pwd": "tr0ub4dor"}',
        "https://bob:tr0ub4dor@x.org/",
        "export DB_PASSWORD=tr0ub4dor",
    ]
    assert len({placeholder(masker.mask(place)) for place in places}) == 1
    assert placeholder(masker.mask("password='other-1'")) != placeholder(masker.mask(places[0]))


def test_a_quoted_secret_equals_the_same_one_unquoted(masker: Masker) -> None:
    inner = placeholder(masker.mask(r"""password = 'it\'s-9x'"""))
    assert inner == placeholder(masker.mask('''password = "it's-9x"'''))


def test_another_session_has_other_placeholders() -> None:
    text = "password='hunter2', secret='s3same'"
    assert Masker().mask(text) != Masker().mask(text)


def test_colliding_placeholders_grow_longer(masker: Masker) -> None:
    found = [placeholder(masker.mask(f"password='pw{n}x{n}'")) for n in range(1000)]
    assert len(set(found)) == 1000
    assert {len(one) for one in found} > {len("<secret:beef>")}


@pytest.mark.parametrize("secret", KNOWN)
def test_a_known_secret_is_masked_in_every_form(secret: str, masker: Masker) -> None:
    assert masker.learn_text(secret)
    for form, text in forms_of(secret).items():
        masked = masker.mask(text)
        assert re.search(PLACEHOLDER, masked), (form, masked)
        assert secret not in masked and (form != "cut" or secret[:6] not in masked), (form, masked)


@pytest.mark.parametrize("secret", KNOWN)
def test_a_known_secret_has_one_placeholder_in_all_its_forms(secret: str, masker: Masker) -> None:
    masker.learn_text(secret)
    plain = masker.mask(secret)
    for form in ("json", "url", "base64", "hex", "bytes"):
        assert placeholder(masker.mask(forms_of(secret)[form])) == plain, form


@pytest.mark.parametrize("short", ["", "1", "bob", "True", "admin", "password", "None", "x" * 4])
def test_what_is_short_or_ordinary_is_not_masked_everywhere(short: str, masker: Masker) -> None:
    assert not masker.learn_text(short)
    assert masker.mask(f"a {short} b1 True admin password") == f"a {short} b1 True admin password"


def test_a_known_word_is_not_masked_inside_another(masker: Masker) -> None:
    masker.learn_text("order")
    assert masker.mask("the orders of bordering states in order") != "the orders of bordering states in order"
    assert masker.mask("the orders of bordering states") == "the orders of bordering states"


@pytest.mark.parametrize("text", ["`x` is `...{}`", "'...{}', and so", "a...{} b", "before ...{}...+30 chars"])
def test_the_end_of_a_known_secret_that_was_cut_is_masked(masker: Masker, text: str) -> None:
    masker.learn_text("hunter2-Xk29qPz71abcd")
    for end in ("Xk29qPz71abcd", "abcd"):
        assert re.fullmatch(re.escape(text).replace(r"\{\}", PLACEHOLDER), masker.mask(text.format(end)))
    assert masker.mask("...abcdef, ...71, .../abcd") == "...abcdef, ...71, .../abcd"


def test_values_are_learned_by_their_names(masker: Masker) -> None:
    assert masker.learn("DB_PASSWORD", "geheim-77")
    assert masker.learn("api_key", "'quoted-as-a-repr-1'")
    assert masker.learn("DATABASE_URL", "postgres://bob:in-the-url-5@db/x")
    assert masker.learn("settings", {"inner": {"client_secret": "nested-secret-3"}})
    assert masker.learn("argv", ["prog", f"--with={GITHUB}"])
    assert masker.learn("session_token", b"bytes-t0k3n-123")
    assert masker.learn("password", "'beginning-of-...+30 chars'")
    for name, value in [
        ("HOME", "/home/bob"),
        ("PATH", "/bin:/usr/bin"),
        ("token_count", "12"),
        ("password", "None"),
        ("n", 7),
    ]:
        assert not masker.learn(name, value), name
    text = "got geheim-77 quoted-as-a-repr-1 in-the-url-5 nested-secret-3 bytes-t0k3n-123 beginning-of-that /home/bob 12 None"
    assert re.fullmatch(rf"got (?:{PLACEHOLDER} ){{5}}{PLACEHOLDER}that /home/bob 12 None", masker.mask(text))


def test_what_was_found_beside_a_name_is_masked_where_it_stands_alone(masker: Masker) -> None:
    masked = masker.mask("password = 'tr0ub4dor'\nlogin failed: bob/tr0ub4dor\n")
    assert "tr0ub4dor" not in masked
    assert "tr0ub4dor" not in masker.mask("later: tr0ub4dor")


def test_a_value_is_judged_with_the_name_it_belongs_to(masker: Masker) -> None:
    assert re.fullmatch(f"'{PLACEHOLDER}'", masker.mask_value("password", "'hunter2'"))
    assert re.fullmatch(rf"'{PLACEHOLDER}\.\.\.\+30 chars", masker.mask_value("token", "'aB3x9K...+30 chars"))
    assert masker.mask_value("password", "None") == "None"
    assert masker.mask_value("token_count", "'abc123xyz9'") == "'abc123xyz9'"
    assert masker.mask_value("token", "<Token at 0x7f3c2f0e>") == "<Token at 0x7f3c2f0e>"


def test_json_is_masked_by_its_keys_and_in_its_strings(masker: Masker) -> None:
    value = {
        "user": "bob",
        "password": "swordfish",
        "pin_secret": 12345678,
        "list": [1, None, True, 2.5, f"see {GITHUB}"],
        "credentials": {"login": "x77-y88", "n": 1},
        "schema": {"password": {"type": "string", "description": "The password"}},
    }
    masked = masker.mask_json(value)
    assert re.fullmatch(PLACEHOLDER, masked["password"]) and re.fullmatch(PLACEHOLDER, masked["pin_secret"])
    assert masked["list"][:4] == [1, None, True, 2.5] and re.fullmatch(f"see {PLACEHOLDER}", masked["list"][4])
    assert re.fullmatch(PLACEHOLDER, masked["credentials"]["login"])
    assert masked["schema"] == value["schema"] and masked["user"] == "bob"
    assert value["password"] == "swordfish"
    assert masker.mask_json(masked) == masked


def test_a_variable_of_dap_is_read_as_name_and_value(masker: Masker) -> None:
    body = {"variables": [{"name": "password", "value": "'hunter2'", "type": "str"}, {"name": "n", "value": "7"}]}
    masked = masker.mask_json(body)
    assert re.fullmatch(f"'{PLACEHOLDER}'", masked["variables"][0]["value"])
    assert masked["variables"][1] == body["variables"][1]


def test_json_inside_a_string_stays_json(masker: Masker) -> None:
    call = {
        "function": {
            "name": "evaluate",
            "arguments": json.dumps({"password": 12345678, "expression": f"f('{GITHUB}')"}),
        }
    }
    arguments = json.loads(masker.mask_json(call)["function"]["arguments"])
    assert re.fullmatch(PLACEHOLDER, arguments["password"]) and GITHUB not in arguments["expression"]
    untouched = '{"expression" :  "a[0]"}'
    assert masker.mask_json([untouched]) == [untouched]


def test_a_repeated_key_hides_no_secret(masker: Masker) -> None:
    assert GITHUB not in masker.mask_json(f'{{"a": "{GITHUB}", "a": "x"}}')


def test_json_that_is_nested_without_end_is_cut(masker: Masker) -> None:
    value: object = GITHUB
    for _ in range(5000):
        value = [value]
    assert GITHUB not in json.dumps(masker.mask_json(value))
    assert GITHUB not in masker.mask_json("[" * 5000 + json.dumps(GITHUB) + "]" * 5000)


def test_a_text_that_was_clean_is_masked_once_a_secret_of_it_is_known(masker: Masker) -> None:
    text = "the launch code of the day was horsebattery, " * 5
    assert masker.mask(text) == text
    masker.learn_text("horsebattery")
    assert "horsebattery" not in masker.mask(text)


def test_what_was_masked_is_shown_without_the_secrets(masker: Masker) -> None:
    masked = masker.mask(f"password='hunter2' and again password='hunter2', {GITHUB}")
    assert masker.shown() == [
        MaskedSecret(placeholder(masked), "name: password", 2),
        MaskedSecret(re.findall(PLACEHOLDER, masked)[2], "shape: GitHub", 1),
    ]
    assert "hunter2" not in repr(masker.shown()) and GITHUB not in repr(masker.shown())


def test_patterns_of_the_user_are_masked() -> None:
    masker = Masker([r"EMP-\d{4}", r"badge (\w+)"])
    masked = masker.mask("EMP-1234 has badge blue of EMP-12")
    assert re.fullmatch(f"{PLACEHOLDER} has badge {PLACEHOLDER} of EMP-12", masked)
    assert {row.rule for row in masker.shown()} == {"your pattern"}


@pytest.mark.parametrize(
    ("pattern", "reason"), [("(", "unterminated"), ("a*", "empty text"), ("(a)(b)", "several groups")]
)
def test_a_bad_pattern_is_a_clear_error(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason) as error:
        Masker([pattern])
    assert repr(pattern) in str(error.value)


def test_a_stream_lets_whole_lines_out_as_they_come(masker: Masker) -> None:
    stream = MaskedStream(masker)
    assert stream.feed("The first li") == ""
    assert stream.feed("ne.\nThe sec") == "The first line.\n"
    assert stream.feed("ond.\n\nThird") == "The second.\n\n"
    assert stream.finish() == "Third"
    assert stream.finish() == ""


@pytest.mark.parametrize("size", [1, 50])
def test_a_secret_that_straddles_pieces_does_not_get_through(size: int) -> None:
    for planted in all_planted():
        if ("random" in planted.what and size == 1) or len(planted.text) <= size:  # one piece: see above
            continue
        stream = MaskedStream(Masker())
        pieces = [planted.text[i : i + size] for i in range(0, len(planted.text), size)]
        assert planted.secret not in "".join([*map(stream.feed, pieces), stream.finish()]), planted.what


def test_a_private_key_is_held_until_it_ends_but_a_mention_of_one_is_not(masker: Masker) -> None:
    stream = MaskedStream(masker)
    block = key_block()
    out = [stream.feed(line + "\n") for line in ["Here.", *block.split("\n"), "after"]]
    assert out[0] == "Here.\n" and not any(out[1:14])
    assert re.search(PLACEHOLDER, "".join(out)) and out[-1] == "after\n"
    assert stream.feed("It begins with -----BEGIN PRIVATE KEY-----, says the manual.\nThen text.\n").endswith("text.\n")


def test_a_stream_holds_back_a_bounded_part_of_a_line_without_end(masker: Masker) -> None:
    stream = MaskedStream(masker)
    given = out = ""
    for n in range(1500):
        piece = f"word{n} password='tr0ub{n}dor' "
        given += piece
        out += stream.feed(piece)
        assert len(stream._held) < 20_000
    out += stream.finish()
    assert not re.search(r"tr0ub\d+dor", out) and out.count(" password=") == 1500
    assert re.sub(PLACEHOLDER, "", out) == re.sub(r"tr0ub\d+dor", "", given)


def test_a_line_without_end_or_white_space_is_let_out(masker: Masker) -> None:
    stream = MaskedStream(masker)
    out = "".join(stream.feed("ab" * 50) for _ in range(1000))
    assert len(out) > 80_000 and out + stream.finish() == "ab" * 50_000


@pytest.mark.parametrize(
    "piece",
    ["password=", "pwd='x\"pwd=\"x'", "a1B2c", "-----BEGIN PRIVATE KEY-----", "://a:b@", "://:", "tokens=[", 'password=\\"',
     "sk-abc...", "curl ", "password='x7k2m9q4w1' ", "eyJ", "Authorization: ", "password   ", "QUJD1RE9x/", "a", "my-secret ",
     "passwordtoken", "Ab", "password: |\n ", "<secret:3f2a>", "\\", "password='", "aB9 _.:-", "x=%s{a}"],
)  # fmt: skip
def test_hostile_text_takes_bounded_time(piece: str, masker: Masker) -> None:
    masker.learn_text("correct-horse-7")
    text = piece * (20_000 // len(piece))
    began = time.process_time()
    masker.mask(text)
    assert time.process_time() - began < 0.7, "seconds for 20 kB; the worst seen takes 0.1"


@pytest.mark.parametrize(
    "piece",
    ["pwd='x\"pwd=\"x'", "Authorization: ", "password='x7k2m9q4w1' ", "://:", "a1B2c", "-----BEGIN PRIVATE KEY-----"],
)
def test_time_grows_with_hostile_text_and_not_with_its_square(piece: str) -> None:
    """A square would take 64 times as long; what is linear takes 8 times."""

    def seconds(size: int) -> float:
        began = time.process_time()
        Masker().mask(piece * (size // len(piece)))
        return time.process_time() - began

    small = min(seconds(8_000) for _ in range(3))
    large = min(seconds(64_000) for _ in range(2))
    assert large < 24 * max(small, 0.005)


@pytest.mark.parametrize(
    "value",
    ["aaaaaaaa" * 9, "a-" * 35 + "!", "Ab" * 30 + "!", "my secret " * 7 + "!", "1." * 40 + "x", "%" * 70, "{" * 70],
)
def test_no_value_beside_a_name_takes_long_to_judge(value: str, masker: Masker) -> None:
    began = time.process_time()
    masker.mask(f"password='{value}' token={value} secret is {value}")
    assert time.process_time() - began < 0.5


def test_masking_is_quick_to_import() -> None:
    code = "import sys; before = set(sys.modules); import dap_ai.agent.masking.mask; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    roots = {name.partition(".")[0] for name in loaded} - {"dap_ai"}
    assert roots <= set(sys.stdlib_module_names) and not roots & {
        "asyncio",
        "urllib",
        "email",
        "http",
        "inspect",
        "typing_extensions",
    }


RAW_STRING = '{_M_dataplus={_M_p="tokTok-55443322aa"}, _M_string_length=17}'


@pytest.mark.parametrize("value", [RAW_STRING, f"0x7ffe10 -> {RAW_STRING}"])
def test_a_string_inside_a_structure_that_is_named_like_a_secret_is_one(value: str):
    masker = Masker()

    assert "tokTok" not in masker.mask_value("token", value)
    assert masker.learn("token", value)
    assert "tokTok" not in masker.mask("plain is tokTok-55443322aa")


def test_a_string_inside_a_structure_of_another_name_is_none():
    masker = Masker()

    assert masker.mask_value("order", RAW_STRING) == RAW_STRING
    assert not masker.learn("order", RAW_STRING)


@pytest.mark.parametrize(
    "line",
    [
        'char password[] = "hunter2-pw-9988";',
        'char password[32] = {"hunter2-pw-9988"};',
        'std::string password("hunter2-pw-9988");',
        'std::string password{"hunter2-pw-9988"};',
        'let password = String::from("hunter2-pw-9988");',
        'const PASSWORD: &str = "hunter2-pw-9988";',
        'static API_KEY: &\'static str = "hunter2-pw-9988";',
        'if (strcmp(password, "hunter2-pw-9988") == 0)',
        'setenv("API_KEY", "hunter2-pw-9988", 1);',
        'std::map<K, V> env{{"DB_PASSWORD", "hunter2-pw-9988"}};',
    ],
)
def test_secrets_in_the_source_of_native_programs_are_masked(line: str):
    assert "hunter2" not in Masker().mask(line)


@pytest.mark.parametrize(
    "line",
    [
        'if (!check_password("username", password)) return 1;',
        'printf("%s: wrong password\\n", name);',
        'let token = lexer.expect("identifier");',
        'fields = ("password", "username", "email")',
        'char password[] = "";',
        'token("number", 42);',
        'log(secret, "rotated");',
    ],
)
def test_ordinary_source_of_native_programs_stays(line: str):
    assert Masker().mask(line) == line


def test_every_known_shape_is_a_pattern_of_its_own_that_matches_no_empty_text() -> None:
    shapes = _shapes()
    assert len({shape.issuer for shape in shapes}) == len(shapes) > 40
    patterns = [re.compile(text) for shape in shapes for text in (*shape.patterns, *shape.cut)]
    assert not [p.pattern for p in patterns if p.match("") or p.groups]


def test_what_is_masked_by_its_shape_is_told_with_its_issuer(masker: Masker) -> None:
    masker.mask("dop_v1_" + "0123456789abcdef" * 4)
    assert [row.rule for row in masker.shown()] == ["shape: DigitalOcean"]
