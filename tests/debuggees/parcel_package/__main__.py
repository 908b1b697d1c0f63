import sys

from .weights import heaviest

weights = [int(text) for text in sys.argv[1:]]
print("heaviest", heaviest(weights), flush=True)  # @bp
