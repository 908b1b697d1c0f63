"""What an agent may do and what may leave: the policy, the gate of every call, debuggers and models behind the mask."""
