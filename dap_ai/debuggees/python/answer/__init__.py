"""Answers a question about a stopped Python program, or explains what is wrong at the stop.

`answer.py` dispatches a question; `failure_answers.py` explains a failure and keeps its findings for the next question;
`nl_answers.py` keeps the recorded run of a stop. An answer starts with the values that were set in the debugger, and
never cites a value that was set after the failure.
"""
