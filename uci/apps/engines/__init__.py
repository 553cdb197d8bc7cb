"""Engine processes for a command: on this machine or on a Dask cluster."""
