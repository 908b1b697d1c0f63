"""The file ends without the end of a line."""

values = [1, 2, 3]
print(values[len(values)], flush=True)  # @bp