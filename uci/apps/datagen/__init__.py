"""`pythagoras datagen`: generates training games."""
