# Everything a person or CI runs, in a virtual environment that makes itself. `make help` lists it.

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
EXAMPLE = tests/rules/examples/md-pontoon21-overpaid.txt
# Once, so that no two processes compile the same at a time.
COMPILE = @echo 'Compiling engine, simulator and readers: some three minutes the first time and after a change' && \
	$(BIN)/audit21 explain $(EXAMPLE) --json > /dev/null && \
	$(BIN)/audit21 simulate .demo/compile/zone --tables 1 --rounds 3 --camera --force > /dev/null && \
	AUDIT21_KEY=.demo/compile/key.pem $(BIN)/audit21 run .demo/compile/zone --lake .demo/compile/lake --quiet && \
	rm -rf .demo/compile

# Set PYTHON to use another interpreter: make test PYTHON=/opt/python3.13/bin/python3
PYTHON ?=
FIND_PYTHON = for python in $(PYTHON) python3.11 python3.12 python3.13 python3 python; do \
		"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && break; \
		python=; \
	done; \
	if [ -z "$$python" ]; then \
		echo 'audit21 needs Python 3.11, 3.12 or 3.13, and found none (set PYTHON, or put one on the PATH).' >&2; \
		echo 'Install it, or name one: make PYTHON=/path/to/python3.13' >&2; \
		exit 1; \
	fi

# The environment holds what the lock says and nothing else: a changed lock makes it anew.
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
SYSTEM := $(VENV)/.system
CHROMIUM := /usr/bin/chromium

# Training needs more than the product: an environment of its own that sees this one's packages.
TRAINING := .train/venv

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup test quick coverage demo pictures bench mutate torture train lock format clean

help: ## list what make can do
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name what; do \
		printf '  make %-8s %s\n' "$$name" "$$what"; \
	done

setup: $(READY) ## make the virtual environment, when it is missing or the lock changed

test: $(READY) $(SYSTEM) ## lint, types, imports between rooms, tests (ARGS="-k word" goes to pytest)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(COMPILE)
	$(BIN)/python -m pytest -n 2 $(ARGS)

quick: $(READY) ## lint, types and some tests: make quick ROOM=replay (or a folder, ROOM=pipelines/judge), or CHANGED=main
	@[ -n "$(CHANGED)" ] || { [ -e "tests/$(ROOM)" ] && [ -n "$(ROOM)" ]; } || \
		{ echo 'make quick needs a room or a commit: make quick ROOM=replay, or make quick CHANGED=main' >&2; exit 2; }
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	tests="$(if $(CHANGED),$$($(BIN)/python -m tests.changed $(CHANGED)),tests/$(ROOM))"; \
		[ -z "$$tests" ] || $(BIN)/python -m pytest -n 2 -q $$tests $(ARGS)

coverage: $(READY) ## how much of the uncompiled engine the worked rounds in tests/rules run through
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --branch --source=replay.engine -m pytest -n 0 -q tests/rules
	$(BIN)/python -m coverage report --show-missing

demo: $(READY) ## simulate a floor with footage and something to find, audit it, and open the dashboards (ARGS=--no-serve)
	$(COMPILE)
	$(BIN)/audit21 demo --dir .demo $(ARGS)

pictures: $(READY) $(SYSTEM) ## take the pictures of README.md from the demo anew
	[ -d .demo/lake ] || $(MAKE) demo ARGS=--no-serve
	$(BIN)/python -m tests.pictures

bench: $(READY) ## measure speed, the house edge, and rounds with known truth, some 70 minutes (ARGS="--only landing" for a part)
	$(BIN)/python -m tests.bench $(ARGS)

mutate: $(READY) ## break the rules one by one, and see that a test notices each
	$(BIN)/python -m tests.mutation $(ARGS)

torture: $(READY) ## kills, damaged landing zones, full disks, 1,000 faults drawn from a seed, tampering; over an hour (ARGS="campaign --seed 2")
	$(COMPILE)
	$(BIN)/python -m tests.torture $(ARGS)

train: $(READY) ## train the networks that read cards, about an hour (ARGS="--only reading" for one of them)
	@[ -x $(TRAINING)/bin/python ] || { $(FIND_PYTHON); "$$python" -m venv $(TRAINING); }
	$(TRAINING)/bin/python -m pip --disable-pip-version-check -qq install torch==2.13.0 cairosvg==2.9.1 onnx==1.23.2
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$($(TRAINING)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/audit21.pth"
	$(TRAINING)/bin/python -m vision.train $(ARGS)

RESOLVE = $(BIN)/uv pip compile pyproject.toml --group dev --quiet --python-platform linux --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock'
lock: ## write requirements.lock from pyproject.toml, one for Python 3.11 to 3.13 (ARGS=--upgrade for the newest versions)
	@[ -x $(BIN)/uv ] || { $(FIND_PYTHON); "$$python" -m venv $(VENV) && $(PIP) install uv; }
	$(RESOLVE) --output-file $(LOCK) --python-version 3.11 $(ARGS)
	@for version in 3.12 3.13; do \
		cp $(LOCK) $(VENV)/lock && $(RESOLVE) --output-file $(VENV)/lock --python-version $$version && \
		diff --ignore-matching-lines='^ *#' $(LOCK) $(VENV)/lock || \
			{ echo "$(LOCK) does not hold for Python $$version" >&2; exit 1; }; \
	done
	@! grep -n '://' $(LOCK) || { echo '$(LOCK) must name no host' >&2; exit 1; }

format: $(READY) ## put the code into its form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) .train .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .demo build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(LOCKED): $(LOCK)
	@$(FIND_PYTHON); set -x; "$$python" -m venv --clear $(VENV)
	$(PIP) install --require-hashes --no-deps --only-binary :all: --requirement $(LOCK)
	@touch $@

# The browser and the database that the tests of the web app run: installed here where that is possible.
$(SYSTEM): $(LOCKED)
	@missing=; \
	[ -x $(CHROMIUM) ] || missing="$$missing chromium"; \
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || missing="$$missing postgresql"; \
	if [ -n "$$missing" ]; then \
		if [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then \
			echo "The tests of the web app need$$missing: install them, as with apt-get install$$missing" >&2; exit 1; \
		fi; \
		echo "Installing$$missing"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing > /dev/null; \
	fi
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	$(PIP) install --no-deps --no-build-isolation --editable .
	@$(PIP) check
	@touch $@
