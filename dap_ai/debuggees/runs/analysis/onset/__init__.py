"""Where a run went wrong: rules that go back from a symptom at its end, ranked by how sure each is."""
