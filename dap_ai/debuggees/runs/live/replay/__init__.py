"""A recorded run again: the first answers from its recording, in a copy of its workspace, then on with the model."""
