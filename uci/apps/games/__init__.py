"""Games: PGN, moves as people write them, openings, phases, the document of analysed games."""
