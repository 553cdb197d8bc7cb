"""What commands share on a terminal: signals, streams, tables, files that are written."""
