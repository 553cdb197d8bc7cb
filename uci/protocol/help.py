"""The lines of the command ``help``."""

HELP = (
    "uci                              who this is, and its options",
    "isready                          answered when the engine is ready",
    "setoption name NAME [value V]    change an option",
    "ucinewgame                       forget what the last game taught",
    "position startpos|fen FEN [moves MOVE ...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]",
    "   [movestogo N] [mate N] [searchmoves MOVE ...] [ponder] [infinite]",
    "                                 search; without a limit until `stop`",
    "stop                             end the search with its best move, or what else is done",
    "ponderhit                        the move pondered on was played: the clock runs",
    "debug on|off                     tell more, in `info string`",
    "d                                show the position",
    "eval                             evaluate the position without a search",
    "perft DEPTH [divide] [hash MB]   count the leaves of the tree of moves",
    "bench [DEPTH]                    search the positions of the benchmark",
    "quit                             end; bench, perft and eval end a search first",
)
