"""Providers of answers: the offline analyst, language models, scripts; found by the entry points `dap_ai.providers`.

An entry point is a function of the settings and the environment. It gives a `Provider`, which makes a whole answer
(`offline`), or a `Model`, which only talks (`openai`, `scripted`): `investigator.py` makes an answer with it. A model
that a client lends (`editor`) belongs to one question. `ask_work.py` is all that a provider may use during a question.
When a model fails, the investigator says so, and what was found without it is still shown.
"""
