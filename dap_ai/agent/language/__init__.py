"""Where names are defined, as jedi-language-server says it. `child` alone knows pygls and lsprotocol."""
