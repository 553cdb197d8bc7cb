"""Engine processes for a command: on this machine, and on a Dask cluster."""
