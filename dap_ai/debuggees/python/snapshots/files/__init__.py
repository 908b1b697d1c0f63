"""Files that a copy may write: its own, in memory, in the place of the user's."""
