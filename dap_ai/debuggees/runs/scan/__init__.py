"""Many runs, each read and analysed to one row: here, in several processes, or on the machines of a cluster."""
