"""Arguments of commands as a person types them: options, the program, where to listen, who answers.

A wrong option is refused here, before anything is started, with what to type instead.
"""
