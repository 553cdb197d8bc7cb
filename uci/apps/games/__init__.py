"""Games: PGN, moves as people write them, openings, phases, analysis documents."""
