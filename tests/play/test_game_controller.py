"""A game from the first move to its end, with a stand-in for the engine."""

from pathlib import Path

import chess
import chess.pgn
import pytest

from helpers.play_table import BLITZ, FOOLS_MATE, PlayTable
from uci.apps.play.play_settings import Level, PlaySettings


def test_moves_go_back_and_forth(table: PlayTable) -> None:
    table.play("e4", "e7e5", "Nf3")
    assert table.engine.asked[-1] == ("e2e4 e7e5 g1f3", "movetime 1000", "")
    assert table.heard[-3:] == ["You: 1. e4", "Pythagoras: 1... e5", "You: 2. Nf3"]
    assert "I am thinking" in table.enter("d4")
    assert table.controller.thinking


def test_an_answer_that_nobody_waits_for_is_dropped(table: PlayTable) -> None:
    table.play("e4")
    table.enter("undo", "d4")
    assert table.answer("e7e5", ticket=1) == ""
    assert table.answer("d7d5").startswith("Pythagoras: 1... d5")


def test_enter_and_move_have_the_engine_move_now(table: PlayTable) -> None:
    assert table.enter("move") == "It is your move."
    table.enter("e4", "")
    assert table.engine.said.count("stop") == 1
    table.enter("move")
    assert table.engine.said.count("stop") == 2
    assert table.controller.thinking, "its answer comes as always"


def test_undo(table: PlayTable) -> None:
    assert "no move to take back" in table.enter("undo")
    table.play("e4", "e7e5", "d4", "e5d4")
    assert table.enter("undo").strip() == "Taken back: 2. d4 exd4."
    assert table.enter("undo").strip() == "Taken back: 1. e4 e5."
    assert table.controller.game.moves == []
    table.play("e4")
    assert table.enter("undo").strip() == "Taken back: 1. e4."
    assert table.controller.game.moves == []
    assert not table.controller.thinking
    assert table.engine.said[-1] == "stop"


def test_undo_after_the_end(table: PlayTable) -> None:
    table.play(*FOOLS_MATE)
    assert table.controller.game.end()
    table.enter("undo")
    assert table.controller.game.moves == ["f2f3", "e7e5"]
    assert table.controller.turn_of_person
    assert "neither a move" in table.enter("y"), "no analysis is offered any more"


@pytest.mark.parametrize("moves", [(), ("e4", "e7e5")])
def test_a_resignation_is_taken_back_alone(table: PlayTable, moves: tuple[str, ...]) -> None:
    table.play(*moves)
    said = table.enter("resign")
    assert ("Analyse the game?" in said) == bool(moves), "there is nothing to analyse yet"
    assert table.enter("undo").strip() == "Taken back: white resigned."
    assert table.controller.turn_of_person
    assert len(table.controller.game.moves) == len(moves)
    table.play("d4", "d7d5")
    table.enter("undo")
    assert len(table.controller.game.moves) == len(moves)


def test_hint_why_and_eval(table: PlayTable) -> None:
    assert table.enter("why") == "I have not moved yet"
    table.enter("hint")
    assert table.engine.asked[-1] == ("", "look movetime 1000", "")
    said = table.answer("e2e4", "info depth 9 score cp 89 pv e2e4 e7e5 g1f3")
    assert said == "e4 is good: 1. e4 e5 2. Nf3 (+2.00)."
    table.enter("eval")
    assert table.answer("e2e4") == (
        "White stands a little better: +0.45; white wins 30 %, draw 60 %, black wins 10 %."
    )
    table.play("e4")
    table.answer("e7e5", "info depth 12 score cp -89 pv e7e5 g1f3 b8c6")
    assert table.enter("why") == "e5: I saw 1...e5 2. Nf3 Nc6 (+2.00), at depth 12."


def test_threat(table: PlayTable) -> None:
    table.play("f3", "e7e5")
    table.enter("threat")
    passed = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 1 2"
    assert table.engine.asked[-1] == ("", "look movetime 1000", "")
    assert table.engine.positions[-1] == passed
    assert "searching for a threat" in table.controller.thought()
    said = table.answer("d8h4", "info depth 9 score cp 89 pv d8h4 g2g3 h4h5 e1g1")
    assert said == "If white passed, black would play 2...Qh4+ 3. g3 Qh5 (-2.00)."
    assert table.controller.game.moves == ["f2f3", "e7e5"]
    table.play("g3")
    assert table.engine.asked[-1][0] == "f2f3 e7e5 g2g3", "the pass leaves no trace"


def test_threat_of_a_mate(tmp_path: Path) -> None:
    fen = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR w KQkq - 0 3"
    table = PlayTable(tmp_path, PlaySettings(fen=fen))
    table.enter("threat")
    said = table.answer("d8h4", "info depth 9 score mate 1 pv d8h4")
    assert said == "If white passed, black would play 3...Qh4# (black mates in 1)."


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        ("4k3/8/8/8/7q/8/8/4K3 w - - 0 1", "white is in check and cannot pass"),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "if white passed, black would have no legal move"),
    ],
)
def test_no_threat(tmp_path: Path, fen: str, said: str) -> None:
    table = PlayTable(tmp_path, PlaySettings(fen=fen))
    assert table.enter("threat") == said
    assert not table.engine.asked
    assert table.controller.turn_of_person


def test_eval_tells_a_mate(table: PlayTable) -> None:
    table.play("e4", "e7e5")
    table.enter("eval")
    assert table.answer("g1f3", "info depth 9 score mate -3 pv g1f3") == "Black mates in 3."


def test_why_of_the_book_and_of_weak_play(tmp_path: Path) -> None:
    table = PlayTable(tmp_path, PlaySettings(level=Level.parse("skill", "5")))
    table.play("e4")
    table.answer("e7e5", "info depth 1 score cp 0 pv e7e5", "book move")
    assert table.enter("why") == "e5: book move."
    table.play("d4", "e5d4")
    assert "At skill 5 I do not always take the best move." in table.enter("why")
    table.enter("level full")
    assert "At skill 5 " in table.enter("why"), "it was made at that level"
    table.enter("Nf3")
    table.answer("b8c6")
    assert "At " not in table.enter("why")


def test_a_move_during_a_hint_is_made(table: PlayTable) -> None:
    table.enter("hint", "e4")
    assert table.engine.said[-1] == "stop"
    assert table.answer("d2d4", ticket=1) == ""
    assert "Pythagoras: 1... e5" in table.answer("e7e5")


def test_levels(table: PlayTable) -> None:
    assert "level 1500" in table.enter("level 1500")
    assert table.engine.said[-3:] == [
        "UCI_LimitStrength = true", "UCI_Elo = 1500", "Skill Level = 20"
    ]  # fmt: skip
    assert "skill 5" in table.enter("skill 5")
    assert table.engine.said[-3:] == [
        "UCI_LimitStrength = false", "UCI_Elo = 1350", "Skill Level = 5"
    ]  # fmt: skip
    assert "500 to 2900" in table.enter("level 300")
    assert "full strength" in table.enter("level full")


def test_a_draw_depends_on_score_and_phase(table: PlayTable) -> None:
    table.enter("draw")
    assert "I want to play on" in table.answer("e2e4", "info depth 9 score cp 0 pv e2e4")
    assert "offer again on move 6" in table.enter("draw")
    assert not table.controller.game.end()


def test_a_move_takes_the_offer_back(table: PlayTable) -> None:
    table.enter("draw", "e4")
    table.answer("e7e5")
    assert table.enter("draw") == ""
    assert table.engine.asked[-1][1] == "look movetime 1000"


def test_an_even_endgame_is_a_draw(tmp_path: Path) -> None:
    table = PlayTable(tmp_path, PlaySettings(fen="4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 40"))
    table.enter("draw")
    said = table.answer("e2e4", "info depth 9 score cp 0 pv e2e4")
    assert "A draw: 1/2-1/2, draw agreed." in said
    assert '[Result "1/2-1/2"]' in table.pgn


@pytest.mark.parametrize(("cp", "agrees"), [(300, True), (-300, False)])
def test_who_stands_badly_agrees(table: PlayTable, cp: int, agrees: bool) -> None:
    table.enter("draw")
    table.answer("e2e4", f"info depth 9 score cp {cp} pv e2e4")
    assert bool(table.controller.game.end()) == agrees


def test_the_end(table: PlayTable, tmp_path: Path) -> None:
    table.play(*FOOLS_MATE)
    assert "I won: 0-1, checkmate." in table.heard
    (file,) = (tmp_path / "games").iterdir()
    assert table.heard[-1] == f"Analyse the game? [y/N] It is saved in {file}"
    with file.open() as stream:
        game = chess.pgn.read_game(stream)
    assert game is not None
    assert game.headers["Result"] == "0-1"
    assert game.headers["White"] == "You"
    assert game.headers["ECO"] == "A00"
    assert [move.uci() for move in game.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert not list(tmp_path.glob("unfinished-*.json"))
    assert "The game is over" in table.enter("e4")
    assert not table.repl.wants_to_quit


def test_yes_leaves_to_analyse(table: PlayTable) -> None:
    assert "the game is not over yet" in table.enter("analyse")
    table.play(*FOOLS_MATE)
    table.enter("y")
    assert table.repl.wants_to_quit
    assert Path(table.repl.analyse_file).read_text().endswith("Qh4# 0-1\n\n")


def test_no_begins_nothing_and_analyse_still_can(table: PlayTable) -> None:
    table.play(*FOOLS_MATE)
    assert "Type new for another game" in table.enter("n")
    assert "The game is over." in table.enter("resign")
    table.enter("analyse")
    assert table.repl.analyse_file


def test_resign(table: PlayTable) -> None:
    table.play("e4")
    assert "I won: 0-1, white resigned." in table.enter("resign")
    assert table.engine.said[-1] == "stop"


def test_the_third_repetition_ends_it(table: PlayTable) -> None:
    table.play(*["Nf3", "g8f6", "Ng1", "f6g8"] * 2)
    assert "A draw: 1/2-1/2, threefold repetition." in table.heard


def test_new_and_sides(table: PlayTable) -> None:
    table.play("e4", "e7e5")
    said = table.enter("new black")
    assert "The unfinished game is in " in said
    assert "You have black" in said
    assert table.controller.flipped
    assert table.controller.thinking
    assert "expected white, black, random" in table.enter("new green")
    table.enter("flip")
    assert not table.controller.flipped


def test_clocks_run_once_both_have_moved(tmp_path: Path) -> None:
    table = PlayTable(tmp_path, BLITZ)
    table.clock.advance(100)
    table.play("e4")
    assert table.engine.asked[-1][1] == "wtime 60000 btime 60000 winc 2000 binc 2000"
    table.clock.advance(100)
    table.play("e7e5")
    table.clock.advance(10)
    table.play("Nf3")
    assert table.engine.asked[-1][1] == "wtime 52000 btime 60000 winc 2000 binc 2000"
    table.clock.advance(59)
    table.repl.tick()
    assert not table.controller.game.end()
    table.enter("undo")
    assert table.controller.clock is not None
    assert table.controller.clock.times() == {chess.WHITE: 50, chess.BLACK: 60}, "spent is spent"


def test_a_flag_falls(tmp_path: Path) -> None:
    table = PlayTable(tmp_path, BLITZ)
    table.play("e4", "e7e5")
    assert table.controller.seconds_to_flag() == 60
    table.clock.advance(60)
    table.repl.tick()
    assert "I won: 0-1, white's time is up." in table.heard
    assert "moves cannot be taken back" in table.enter("undo")


def test_a_flag_falls_before_a_lone_king(tmp_path: Path) -> None:
    settings = PlaySettings(fen="4k3/8/8/8/8/8/8/4K2Q w - - 0 1", control=BLITZ.control)
    table = PlayTable(tmp_path, settings)
    table.play("Qb7", "e8f8")
    table.clock.advance(60)
    table.repl.tick()
    assert "A draw: 1/2-1/2, white's time is up, but the other side cannot mate." in table.heard


def test_the_clock_waits_for_the_engine_and_is_kept(tmp_path: Path) -> None:
    first = PlayTable(tmp_path, BLITZ)
    first.play("e4", "e7e5")
    first.clock.advance(20)
    first.leave()
    second = PlayTable(tmp_path)
    second.engine.ready = False
    second.clock.advance(100)
    second.repl.tick()
    second.enter("y")
    second.clock.advance(100)
    second.repl.tick()
    second.engine.ready = True
    second.repl.tick()
    assert second.controller.seconds_to_flag() == 40


def test_pondering(tmp_path: Path) -> None:
    table = PlayTable(tmp_path, PlaySettings(ponder=True))
    table.play("e4")
    table.answer("e7e5", "info depth 9 score cp 0 pv e7e5 g1f3 b8c6")
    assert table.engine.asked[-1] == ("e2e4 e7e5", "ponder movetime 1000", "g1f3")
    assert not table.controller.thinking
    table.enter("Nf3")
    assert table.engine.said[-1] == "ponderhit"
    assert table.controller.thinking
    table.answer("b8c6", "info depth 9 score cp 0 pv b8c6 f1b5")
    table.enter("d4")
    assert table.engine.said[-1] == "stop"
    assert table.engine.asked[-1] == ("e2e4 e7e5 g1f3 b8c6 d2d4", "movetime 1000", "")
    table.answer("e5d4", "info depth 9 score cp 0 pv e5d4 f3d4")
    table.enter("level 1500", "Nd4")
    assert table.engine.said.count("ponderhit") == 1, "it thinks at the level before"
    assert table.engine.asked[-1][1:] == ("movetime 1000", "")


def test_chess960(tmp_path: Path) -> None:
    table = PlayTable(tmp_path, PlaySettings(chess960=0))
    assert table.controller.game.start.startswith("bbqnnrkr/pppppppp")
    table.play("Nd3", "a7a6", "g3")
    assert '[Variant "Chess960"]' in table.controller.pgn()
    table.leave()
    again = PlayTable(tmp_path)
    again.enter("y")
    assert again.controller.game.chess960
    assert again.controller.game.sans == ["Nd3", "a6", "g3"]


def test_help_lists_all_commands(table: PlayTable) -> None:
    said = table.enter("help")
    for word in ("undo", "hint", "why", "eval", "flip", "level", "skill", "save", "load", "new"):
        assert f"\n{word}" in said
    assert table.enter("?") == said
    assert all(len(line) < 80 for line in said.splitlines())
    assert "takes no argument" in table.enter("undo 3")


@pytest.mark.parametrize(
    ("settings", "time"),
    [
        (PlaySettings(), "full strength."),
        (PlaySettings(think=300), "full strength, 0.3 s per move."),
        (PlaySettings(think=300_000), "full strength, 300 s per move."),
        (BLITZ, "full strength, 1+2 on the clock."),
    ],
)
def test_the_greeting_tells_the_time(settings: PlaySettings, time: str, tmp_path: Path) -> None:
    table = PlayTable(tmp_path, settings)
    assert f"You have white, I play at {time} Type help" in table.heard[0]
