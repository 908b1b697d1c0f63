"""A package that is run with `python -m parcel_package`."""
