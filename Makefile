# The project's commands. Each needs Python 3.11 with pip and venv; `fast` needs a C compiler too.
#
#   make dev [ARGS=...]     run `venue dev`; ARGS are its options. Installs only what running needs
#   make test [ARGS=...]    run every test on the interpreted core, files side by side; ARGS
#                           name tests, which then run one after another
#   make check              run ruff, mypy and import-linter
#   make fast               compile the core's hot modules into build/fast
#   make test-fast          run the core's tests on the compiled core, with full random walks
#   make bench [ARGS=...]   print the table of measurements; ARGS=overload: minutes of overload;
#                           ARGS=pauses: a minute, how long 100,000 positions delay orders
#   make rules              record the core's sources as today's rules; part of each change of the core
#   make recorded           record anew what the rules' number stands for (tests/files/README.md)
#   make soak [ARGS=...]    search for orders that earn at others' cost: 3,000,000 commands, or
#                           ARGS="COMMANDS FIRST_SEED"; two processes. ARGS="money ...": in worlds
#                           whose true prices move, among bystanders and an operator;
#                           ARGS="service ...": whether honest people are hindered there
#   make soak-door [ARGS=...]  send 5,000,000 random reads to the HTTP transport, or
#                           ARGS="READS SEED", and a fifth as many to streams
#   make points [ARGS=...]  end a venue at every write of its acts, and have its disk fail there:
#                           an hour, or ARGS="ACTS": begin, trade, keys, states, restart, "archive
#                           stopped", "archive running", fork, bundle, rebuild, mend
#   make soak-streams [ARGS=ROUNDS]  compare sockets with REST over 50,000 random commands of two
#                           traders, or 164 commands in each of so many rounds
#   make crowd [ARGS=...]   open 1,000 sockets, some of which stall, half-close and flood, or
#                           ARGS="SOCKETS TRADES"; print what the others received
#   make setup              install into .venv; the other targets do this first
#   make lock               pin the dependencies of pyproject.toml: all in requirements.lock, those
#                           of running in requirements-run.lock
#   make clean              remove everything that was built or installed

BIN := .venv/bin
RUNS := .venv/.runs
INSTALLED := .venv/.installed
ARGS ?=

# The tests of a file share servers, so they run in one process, in the order of tests/conftest.py.
# One process more than processors: a test often waits for a venue.
WORKERS = $$(( $$(getconf _NPROCESSORS_ONLN) + 1 ))
SPREAD = --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# Python's bytecode must be written: the bench starts many venues that would compile themselves again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup dev test check fast test-fast bench rules recorded soak soak-door soak-streams points crowd lock \
  clean
.NOTPARALLEL:

setup: $(INSTALLED)

# A first start waits longest here, so each part says what it fetches.
$(RUNS): requirements-run.lock pyproject.toml
	@if [ ! -x $(BIN)/pip ]; then \
	  for python in python3.11 python3 python; do \
	    if $$python -c 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 11))' \
	      2>/dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "venue needs Python 3.11 with venv; no python3.11, python3 or python is one" >&2; \
	    exit 1; \
	  fi; \
	  echo "making .venv with $$found"; \
	  $$found -m venv .venv; \
	fi
	@echo "installing what running needs: $$(grep -c == requirements-run.lock) packages of" \
	  "requirements-run.lock"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes \
	  -r requirements-run.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps \
	  -e .
	@touch $@

$(INSTALLED): requirements.lock $(RUNS)
	@echo "installing what tests and checks need: $$(grep -c == requirements.lock) packages of" \
	  "requirements.lock"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes \
	  -r requirements.lock
	@touch $@

dev: $(RUNS)
	@$(BIN)/venue dev $(ARGS)

test: setup
	@$(BIN)/pytest $(or $(ARGS),$(SPREAD))

check: setup
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache --no-logo

fast: setup
	@$(BIN)/python tools/fast.py

test-fast: fast
	@PYTHONPATH=$(CURDIR)/build/fast VENUE_EXPECT_COMPILED=1 $(BIN)/pytest -m core $(or $(ARGS),$(SPREAD))

bench: setup
	@$(BIN)/python -m bench $(ARGS)

rules: setup
	@PYTHONPATH=$(CURDIR) $(BIN)/python tools/rules.py

recorded: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} \
	  $(BIN)/python -m support.recorded tests/files/recorded.msgpack.gz

soak: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m properties.soak $(ARGS)

soak-door: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m properties.doors $(ARGS)

soak-streams: setup
	@STREAM_ROUNDS=$(or $(ARGS),312) $(BIN)/pytest tests/conformance/test_random_streams.py

points: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m support.points $(ARGS)

crowd: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m support.square $(ARGS)

COMPILE := $(BIN)/pip-compile -q --generate-hashes --strip-extras --allow-unsafe \
  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

lock: setup
	@$(COMPILE) --extra build --extra dev --output-file requirements.lock pyproject.toml
	@$(COMPILE) --extra build --constraint requirements.lock \
	  --output-file requirements-run.lock pyproject.toml

clean:
	@rm -rf build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .venv
