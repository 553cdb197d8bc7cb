"""`pythagoras prove`: proves mates, and checks such proofs."""
