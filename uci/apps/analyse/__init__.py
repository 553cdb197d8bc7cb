"""`pythagoras analyse`: annotates games."""
