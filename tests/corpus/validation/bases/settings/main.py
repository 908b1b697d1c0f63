from layers import Settings, from_environment, merged
from reading import SettingsError, converted, parsed

DEFAULTS = {"web": {"host": "localhost", "port": 80, "paths": ["/"]}, "debug": False, "log": {"level": "info"}}

FILE = """
name = "shop # 1"      # shown in the title
debug = off
[web]
port = 8080
tls.enabled = yes
[log]
file = /var/log/${name}.log
levels = [info, 3, 2.5]
[log.rotate]
keep = 7
"""

ENVIRONMENT = {"SHOP_WEB__HOST": "example.org", "SHOP_DEBUG": "on", "SHOPPING": "no", "HOME": "/root"}


def test_reading():
    assert converted(" 12 ") == 12
    assert converted("'12'") == "12"
    assert converted("[]") == []
    assert converted("1e3") == 1000.0
    settings = parsed(FILE)
    assert settings["name"] == "shop # 1"
    assert settings["web"] == {"port": 8080, "tls": {"enabled": True}}
    assert settings["log"]["levels"] == ["info", 3, 2.5]
    assert settings["log"]["rotate"]["keep"] == 7
    assert settings["debug"] is False
    try:
        parsed("a = 1\n\nb")
    except SettingsError as error:
        assert str(error) == "line 3: no ="
    else:
        raise AssertionError("no error")


def test_layers():
    layers = [DEFAULTS, parsed(FILE), from_environment(ENVIRONMENT, "SHOP")]
    assert layers[2] == {"debug": True, "web": {"host": "example.org"}}
    settings = Settings(*layers)
    assert settings.get("web.port") == 8080
    assert settings.get("web.host") == "example.org"
    assert settings.get("web.paths") == ["/"]
    assert settings.get("debug") is True
    assert settings.get("web.port.number", "none") == "none"
    assert DEFAULTS["web"]["port"] == 80
    settings.values["web"]["paths"].append("/shop")
    assert DEFAULTS["web"]["paths"] == ["/"]
    assert merged({"a": 1}, {"a": {"b": 2}}) == {"a": {"b": 2}}


def test_references():
    settings = Settings(parsed(FILE), {"x": "${y}", "y": "<${x}>", "url": "${web.port}/${log.rotate.keep}!"})
    assert settings.get("log.file") == "/var/log/shop # 1.log"
    assert settings.get("url") == "8080/7!"
    try:
        settings.get("x")
    except SettingsError as error:
        assert str(error) == "x refers to itself"
    else:
        raise AssertionError("no end")
    assert settings.flat()["web.tls.enabled"] is True
    assert len(settings.flat()) == 10


test_reading()
test_layers()
test_references()
