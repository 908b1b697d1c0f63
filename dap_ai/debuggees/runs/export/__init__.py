"""A run in the formats of others: one file a format. Pure: a run in, the bytes of files out; nothing is masked here."""
