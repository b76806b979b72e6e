# The project's commands. Each needs Python 3.11, 3.12 or 3.13 with pip and venv (PYTHON=... names the
# one of a new .venv); `fast` and `wheel` need a C compiler too.
#
#   make dev [ARGS=...]     run `venue dev`; ARGS are its options. Installs only what running needs
#   make test [ARGS=...]    run every test on the interpreted core, files side by side; ARGS
#                           name tests, which then run one after another
#   make core [ARGS=...]    run the tests of the core, or those of ARGS; installs only what they need
#   make check              run ruff, mypy and import-linter, and tsc over the pages where npm is
#   make fast               compile the engine into build/fast; `venue` runs that while it fits
#   make wheel              write dist/: a wheel with the compiled engine and one without
#   make test-fast          run the core's tests on the compiled core, with full random walks
#   make test-live [ARGS=...]  run the conformance tests with the profile live, or those of ARGS
#   make bench [ARGS=...]   print the table of measurements; ARGS=overload: minutes of overload;
#                           ARGS=pauses: a minute, how long 100,000 positions delay orders
#   make docs               write the documents that follow from the sources; those that a venue
#                           serves (/openapi.json, /asyncapi.json) go into build/docs
#   make vendor             copy the pages' libraries, of the packages in tests/typescript, into
#                           src/venue/pages/vendor
#   make pictures           take the pictures of docs/pictures from the pages; needs chromium
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
#   make programs [ARGS=...]  install ccxt for Python and node, mcp-ccxt and freqtrade, build a Go and
#                           a curl program, and run each unchanged under `venue with --only-venue`: a
#                           table of what they asked for; ten minutes, or ARGS="NAMES"
#   make soak-streams [ARGS=ROUNDS]  compare sockets with REST over 50,000 random commands of two
#                           traders, or 164 commands in each of so many rounds
#   make crowd [ARGS=...]   open 1,000 sockets, some of which stall, half-close and flood, or
#                           ARGS="SOCKETS TRADES"; print what the others received
#   make agents [ARGS=...]  compare all answers to owners with and without agents' rows over a session
#                           of 50,000 commands, or ARGS=COMMANDS
#   make setup              install into .venv; the other targets do this first
#   make lock               pin the dependencies of pyproject.toml: all in requirements.lock, those
#                           of running in requirements-run.lock, of compiling in
#                           requirements-compile.lock
#   make clean              remove everything that was built or installed

BIN := .venv/bin
RUNS := .venv/.runs
COMPILES := .venv/.compiles
CORE := .venv/.core
INSTALLED := .venv/.installed
TSC := tests/typescript/node_modules/.bin/tsc
ARGS ?=
PYTHON ?= python3.11 python3.12 python3.13 python3 python

# The tests of a file share servers, so they run in one process, in the order of tests/conftest.py.
# One process more than processors: a test often waits for a venue.
WORKERS = $$(( $$(getconf _NPROCESSORS_ONLN) + 1 ))
SPREAD = --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# Python's bytecode must be written: the bench starts many venues that would compile themselves again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup dev test core check fast wheel test-fast test-live bench docs vendor pictures rules recorded \
  soak soak-door soak-streams points programs crowd agents lock clean
.NOTPARALLEL:

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

setup: $(INSTALLED)

# install WHAT,LOCK: install the packages of a lock, and say what they are for.
define install
	@echo "installing what $(1): $$(grep -c == $(2)) packages of $(2)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(2)
endef

# A first start waits longest here, so each part says what it fetches.
$(RUNS): requirements-run.lock pyproject.toml
	@if [ ! -x $(BIN)/pip ]; then \
	  for python in $(PYTHON); do \
	    if $$python -c 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	      2>/dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "venue needs Python 3.11, 3.12 or 3.13 with venv; none of these is one:" \
	      "$(PYTHON)" >&2; \
	    exit 1; \
	  fi; \
	  echo "making .venv with $$found"; \
	  $$found -m venv .venv; \
	fi
	$(call install,running needs,$<)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps \
	  -e .
	@touch $@

$(COMPILES): requirements-compile.lock $(RUNS)
	$(call install,compiling needs,$<)
	@touch $@

$(CORE): requirements-core.lock $(RUNS)
	$(call install,the core's tests need,$<)
	@touch $@

$(INSTALLED): requirements.lock tests/typescript/package-lock.json $(RUNS)
	$(call install,tests and checks need,$<)
	@if command -v npm >/dev/null; then npm ci --silent --prefix tests/typescript; fi
	@touch $@

dev: $(RUNS)
	@$(BIN)/venue dev $(ARGS)

test: setup
	@$(BIN)/pytest $(or $(ARGS),$(SPREAD))

core: $(CORE)
	@$(BIN)/pytest $(or $(ARGS),tests/core $(SPREAD))

# mypy's workers have seconds to start; on a busy machine one may not, and mypy ends with 2. Then
# one process checks all.
TYPES := $(BIN)/mypy --no-error-summary

check: setup
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(TYPES) --num-workers auto || { [ $$? -eq 2 ] && $(TYPES); }
	@$(BIN)/lint-imports --no-cache --no-logo
	@if [ -x $(TSC) ]; then $(TSC) --project tests/typescript/pages.json; fi

fast: $(COMPILES)
	@$(BIN)/python tools/fast.py

wheel: fast
	@rm -rf dist
	@VENUE_ENGINE=interpreted $(BIN)/python setup.py -q build --build-base build/interpreted \
	  bdist_wheel
	@$(BIN)/python setup.py -q build --build-lib build/fast bdist_wheel --skip-build
	@ls dist

test-fast: setup fast
	@PYTHONPATH=$(CURDIR)/build/fast VENUE_ENGINE=compiled $(BIN)/pytest -m core $(or $(ARGS),$(SPREAD))

test-live: setup
	@VENUE_TEST_PROFILE=live $(BIN)/pytest $(or $(ARGS),$(SPREAD) tests/conformance)

bench: setup
	@$(BIN)/python -m bench $(ARGS)

docs: setup
	@PYTHONPATH=$(CURDIR) $(BIN)/python tools/documents.py

vendor: setup
	@$(BIN)/python tools/vendor.py

pictures: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m support.pictures

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

programs: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m support.programs $(ARGS)

agents: setup
	@AGENT_COMMANDS=$(or $(ARGS),50000) $(BIN)/pytest -q tests/adapters/test_agents_rows.py

crowd: setup
	@PYTHONPATH=$(CURDIR)/tests$${PYTHONPATH:+:$$PYTHONPATH} $(BIN)/python -m support.square $(ARGS)

PIN := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url
PART := $(PIN) --extra build --constraint requirements.lock

lock: setup
	@$(PIN) --extra build --extra dev --output-file requirements.lock pyproject.toml
	@$(PART) --output-file requirements-run.lock pyproject.toml
	@$(PART) --extra compile --output-file requirements-compile.lock pyproject.toml
	@$(PART) --extra core --output-file requirements-core.lock pyproject.toml

clean:
	@rm -rf build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .venv
