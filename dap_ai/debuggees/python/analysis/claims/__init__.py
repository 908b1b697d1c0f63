"""The sentences of an answer about a failure: verdict, causes, recursions, advice, and the first context of a model."""
