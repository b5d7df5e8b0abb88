# `make run` starts Token Tracer, `make test` tests it; both set up what they need in .venv.

VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
# PyTorch's CPU wheels, so that Linux does not download CUDA. `make TORCH_INDEX= …` turns it off.
ifeq ($(shell uname -s),Linux)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
endif
PIP := $(BIN)/python -m pip --disable-pip-version-check
# `make test` runs so many files at once; `make test WORKERS=0 ARGS="--pdb …"` one in this process.
WORKERS ?= 2
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help run test check format bench train clean

help:
	@echo "make run     start Token Tracer on http://$(HOST):$(PORT)"
	@echo "make test    run every test, the browser's included"
	@echo "make check   formatting, lint, types, and the rules for pages and scripts"
	@echo "make bench   measure speed, as ratios"
	@echo "make train   train the shakespeare preset afresh into runs/"

run: $(VENV)/.run
	$(BIN)/python -m app serve --host $(HOST) --port $(PORT)

test: $(VENV)/.dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m tests.text_rules

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks

train: $(VENV)/.run
	$(BIN)/python -m model.training shakespeare

clean:
	rm -rf $(VENV)

$(VENV)/.dev: $(VENV)/.run
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(VENV)/.run: pyproject.toml constraints.txt
	@sh .ci/venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --no-deps torch==$$(sed -n 's/^torch==//p' constraints.txt) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@
