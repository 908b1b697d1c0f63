"""Providers of answers, found by the entry points `dap_ai.providers`: the offline analyst, language models, scripts.

An entry point is a function of the settings and the environment. It returns a `Provider`, which writes a whole answer
(`offline`), or a `Model`, which only generates text (`openai`, `scripted`) and with which `investigator.py` writes an
answer. A model that a client lends (`editor`) serves one question. `ask_work.py` holds everything a provider may use
during a question. When a model fails, the investigator reports the failure, and the answer still shows the offline
findings.
"""
