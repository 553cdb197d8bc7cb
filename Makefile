# Everything runs in .venv, which is made when a target needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEPTH ?= 6
PYTEST := $(BIN)/python -m pytest
BOTH := --numprocesses 2 --dist worksteal
FAST := not slow and not external and not long and not alone

.DEFAULT_GOAL := $(if $(EXE),exe,help)
.NOTPARALLEL:
.PHONY: help install run quick check test test-external test-long test-train coverage lint type bench perft warm soak soak-games audit compliance \
	clients api completions pv readers release shows verdicts sprt arena ladder budgets exe clean distclean
.PHONY: reinstall pass-compiled pass-interpreted pass-boundscheck pass-alone
unexport NUMBA_DISABLE_JIT NUMBA_BOUNDSCHECK PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: warm  ## make .venv with the command .venv/bin/pythagoras, ready to play

run: install  ## install, then search the starting position to depth 14
	$(BIN)/pythagoras go depth 14

quick: lint $(VENV)/.dev  ## check the style, and run the fast tests of the packages changed since HEAD
	$(PYTEST) $(BOTH) -m '$(FAST)' $$($(BIN)/python -m scripts.changed_tests)

check: lint type $(VENV)/.dev  ## what every change passes: style, types and the fast half of the tests
	$(PYTEST) $(BOTH) -m '$(FAST)'

test: MARKS := not long and not external
test: $(VENV)/.dev  ## run the tests: compiled, interpreted, and with array bounds checked
	$(call every,compiled interpreted boundscheck alone)

test-external: MARKS := external and not long
test-external: $(VENV)/.dev  ## run the tests that need other programs or a network, or inject faults
	$(call every,compiled alone)

test-long: MARKS := long or not long
test-long: $(VENV)/.dev  ## run all tests, those that take minutes too
	$(call every,compiled interpreted boundscheck alone)

test-train: $(VENV)/.train  ## check the training of networks against PyTorch
	$(BIN)/python -m pytest tests/training

coverage: $(VENV)/.dev  ## report which lines of kernels the interpreted tests run
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(BOTH) -m 'interpreted and not long' --cov=engine --cov-report=
	$(BIN)/python -m scripts.measure.kernel_coverage .coverage

lint: $(VENV)/.dev  ## check the style with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(VENV)/.dev  ## check the types with mypy
	$(BIN)/mypy

bench: install  ## search the bench positions: node count (a checksum) and speed
	$(BIN)/pythagoras bench

perft: install  ## count the leaves of the starting position to DEPTH (6)
	$(BIN)/pythagoras perft $(DEPTH)

warm: $(VENV)/.installed  ## compile the kernels, once after each change of the sources
	$(BIN)/pythagoras warm

soak: $(VENV)/.dev  ## fuzz for MINUTES=30: UCI sessions, lines, inputs, and positions for Stockfish
	$(BIN)/python -m scripts.reliability.soak $(foreach V,MINUTES SEED ONLY,$(call option,$V))

soak-games: $(VENV)/.installed  ## play GAMES=5000 fast games with all checks, and replay them
	@$(BIN)/python -m scripts.reliability.soak_games \
		$(foreach V,GAMES STATE TC NEW SEED CONCURRENCY OPENINGS,$(call option,$V))

audit: $(VENV)/.installed $(VENV)/.audit/bin/pip-audit  ## check the dependencies for known vulnerabilities
	@$(BIN)/python -m scripts.release.audit $(VENV)/.audit/bin/pip-audit

compliance: install  ## check the protocol with fastchess's 40 steps
	@command -v fastchess >/dev/null || { echo "fastchess is not on the PATH: it makes the check"; exit 1; }
	fastchess --compliance $(BIN)/pythagoras

readers: $(VENV)/readers/node_modules  ## install the npm packages that the tests of the report need

$(VENV)/readers/node_modules: $(BIN)/python
	npm install --no-audit --no-fund --prefix $(VENV)/readers chessops@0.15.1 axe-core@4.10.2 html-validate@8.29.0

clients: $(VENV)/.dev  ## play in lichess-bot, and run python-chess's tests: NAMES=, SOURCES=, OUT=
	$(BIN)/pythagoras warm
	$(BIN)/python -m scripts.clients.run $(foreach V,SOURCES OUT,$(call option,$V)) $(NAMES)

pv: install $(VENV)/.tools  ## check the PVs of 1,000 positions: SAMPLE=, TABLES=
	$(BIN)/pythagoras pv-lab --truth --epd tests/data/pv_positions.epd $(foreach V,SAMPLE TABLES,$(call option,$V))
	$(BIN)/python -m scripts.measure.pv_check --engine $(BIN)/pythagoras $(foreach V,SAMPLE TABLES,$(call option,$V))
	$(BIN)/python -m scripts.measure.pv_check --engine $(BIN)/pythagoras --stop $(foreach V,SAMPLE TABLES,$(call option,$V))

shows: $(VENV)/.dev  ## make the example pages of pv-lab --show: FOLDER=
	$(BIN)/python -m scripts.measure.shows $(if $(FOLDER),'$(FOLDER)')

sprt: $(VENV)/.installed  ## play against BASE=REVISION until it is clear which is better
	@$(BIN)/python -m scripts.match.sprt $(foreach V,BASE NEW TC NODES BASE_NODES SEED OPENINGS STATE RESUME,$(call option,$V)) \
		$(if $(BOUNDS),--bounds $(BOUNDS)) $(foreach V,GAMES CONCURRENCY,$(call option,$V)) $(or_capped)

arena: $(VENV)/.installed  ## the same with thousands of short games at fixed nodes: BASE=REVISION, NET=FILE or EVALUATE=FILE:FUNCTION
	@$(BIN)/python -m scripts.match.arena $(foreach V,BASE NEW NET BASE_NET EVALUATE BASE_EVALUATE NODES BASE_NODES,$(call option,$V)) \
		$(if $(BOUNDS),--bounds $(BOUNDS)) $(foreach V,GAMES CONCURRENCY SEED OPENINGS STATE,$(call option,$V)) $(or_capped)

ladder: $(VENV)/.tools  ## play against engines of known strength: GAMES=, TC=, AGAINST=
	@$(BIN)/python -m scripts.match.ladder \
		$(foreach V,GAMES TC AGAINST NEW CONCURRENCY SEED OPENINGS STATE,$(call option,$V))

budgets: install $(VENV)/.tools  ## show how a clock is spent over a game, TC=60+0.6
	@$(BIN)/python -m scripts.measure.budgets $(TC)

verdicts: install $(VENV)/.tools  ## compare our verdicts on moves with Stockfish's: MOVES=, FOLDER=
	@$(BIN)/python -m scripts.measure.verdicts $(foreach V,FOLDER MOVES NODES SEED OPENINGS,$(call option,$V))

api: $(VENV)/.dev  ## write the API reference of the package pythagoras from its docstrings
	@$(BIN)/python -m scripts.release.api_page

completions: $(VENV)/.dev  ## write the shell completion files
	@$(BIN)/python -m scripts.release.completions

release: $(VENV)/.dev  ## build wheel, sdist and one file in dist/, and try each in an empty environment
	$(BIN)/python -m scripts.release.distributions dist

exe:  ## pack the engine into one file: make EXE=NAME
	$(PYTHON) -m scripts.release.standalone '$(EXE)'

clean:  ## remove all build results except .venv and the games of matches
	rm -rf build dist .matches/builds .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean  ## remove .venv as well
	rm -rf $(VENV)

# .venv must import this checkout itself. A copy, as `pip install .` makes it, would play the old
# engine after an edit, so it is replaced.
REINSTALL := $(shell test -e $(BIN)/pythagoras && $(BIN)/python -I -c \
	'import os, uci; os.path.samefile(uci.__path__[0], "uci") or exit(1)' 2>/dev/null || echo reinstall)

# For scripts: --base-nodes '5000' where BASE_NODES=5000 was given.
option = $(if $($1),--$(subst _,-,$(shell echo $1 | tr A-Z a-z)) '$($1)')

# A match that reaches its maximum of games is complete: its verdict, "capped", is not an error.
or_capped = || test $$? -eq 3

# All passes run, even after one has failed; a failure in any is an error at the end.
every = $(MAKE) --keep-going MARKS='$(MARKS)' $(addprefix pass-,$1)

# A test that fails next to others runs again by itself, to show whether it depends on load. The pass
# counts as failed in any case.
pass-compiled:
	$(PYTEST) $(BOTH) -m 'not alone and ($(MARKS))' || { [ $$? -eq 1 ] && \
		$(PYTEST) --last-failed --maxfail 5 -m 'not alone and ($(MARKS))'; exit 1; }

pass-interpreted:
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(BOTH) -m 'interpreted and ($(MARKS))' $(call marked,mark.interpreted)

pass-boundscheck:
	NUMBA_BOUNDSCHECK=1 $(PYTEST) $(BOTH) -m 'boundscheck and ($(MARKS))' $(call marked,mark.boundscheck)

# Tests that measure time, or use both cores themselves, run last and one by one.
pass-alone:
	$(PYTEST) -m 'alone and ($(MARKS))' $(call marked,mark.alone\|@timed)

# The files that have tests with a mark: collecting all files would take longer than these tests.
marked = $(sort $(shell grep -rlw --include='test_*.py' '$1' tests))

# A .venv whose Python is gone is rebuilt from scratch.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.installed: pyproject.toml $(BIN)/python $(REINSTALL)
	$(BIN)/python -m pip install --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(BIN)/python $(REINSTALL)
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.tools: pyproject.toml $(BIN)/python $(REINSTALL)
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[tools]'
	@touch $@ $(VENV)/.installed

# pip-audit has its own environment, so that its packages are not audited with ours.
$(VENV)/.audit/bin/pip-audit: $(BIN)/python
	$(PYTHON) -m venv --clear $(VENV)/.audit
	$(VENV)/.audit/bin/python -m pip install --disable-pip-version-check pip-audit

$(VENV)/.train: pyproject.toml $(VENV)/.dev
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[train]'
	@touch $@
