"""SAYS: reads `self.fields`, which is not set, so that Python calls `__getattr__` for it"""

import copy


class Record:
    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        if name in self.fields:
            return self.fields[name]
        raise AttributeError(name)


copy.copy(Record({"a": 1}))
