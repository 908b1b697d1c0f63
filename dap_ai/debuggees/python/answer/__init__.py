"""The answer about a Python stop: what the question asks for, else what is wrong there.

`answer.py` chooses what answers a question; `failure_answers.py` explains a failure, and keeps what it found for the
next question; `nl_answers.py` keeps the record of a stop. An answer begins with the values that were set in the
debugger, and never cites one that was set since the failure.
"""
