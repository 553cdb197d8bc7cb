"""The commands of `pythagoras`, and what they share."""
