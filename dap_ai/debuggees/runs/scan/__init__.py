"""Many runs, each read and analysed to one row: here, in several processes, or on the machines of a cluster.

Any executor will do (`scan_work.py`). A run that kills its process costs its own row and no other. Rows are kept as
they
come, so that a scan which was interrupted goes on (`scan_results.py`).
"""
