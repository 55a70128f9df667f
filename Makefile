# make demo: watch a small model get better at a checked task; make demo-real: a pretrained one. make test: the style, the
# types and the behaviour, on a CPU, with Python alone; make test-quick: a part of the behaviour, between edits.
# make test-slow: what takes long or needs more (kills, attacks on every sandbox, an engine, Ray). make test-integrations:
# the adapters on other people's packages. CI runs these three, the last on what is quick. make docs: the documentation as
# a site. make gpu: what only a GPU can show.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
THREADS := OMP_NUM_THREADS=1
WORKERS ?= 2

.PHONY: demo demo-real test test-quick test-slow test-integrations behaviour check smollm2 agents-base mini-base gpu docs clean

demo: $(VENV)/installed
	$(BIN)/rlenv demo --out runs/demo

# mypy takes one core, the tests as many as there are workers: side by side they waste none.
test: $(VENV)/installed
	$(MAKE) --jobs 2 check behaviour

behaviour: $(VENV)/installed
	$(THREADS) $(BIN)/python -m pytest -m "not slow" --numprocesses $(WORKERS) --dist worksteal

# A rule chooses: tests/support/quick_rule.py.
test-quick: $(VENV)/installed
	$(THREADS) $(BIN)/python -m pytest -m "not slow" --quick --numprocesses $(WORKERS) --dist worksteal

# In the order in which they are collected: the pages and recipes, which take longest, begin.
test-slow: $(VENV)/installed
	$(THREADS) $(BIN)/python -m pytest -m "slow" --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder --durations 30

# Other people's packages, each in an environment of its own under .venvs; PACKAGES="verl trl" takes these alone.
test-integrations:
	$(PYTHON) .ci/integrations.py $(PACKAGES)

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/proselint check --config .ci/proselint.json README.md docs
	$(BIN)/mypy

SMOLLM2 := models/smollm2-135m
smollm2: $(VENV)/installed
	$(BIN)/rlenv smollm2 --out $(SMOLLM2)

# The image that boxes of agents start from, made without a registry: as root, with debootstrap and an engine.
agents-base: AGENTS_ROOT := $(shell mktemp -u -d -t agents-base-XXXXXX)
agents-base:
	@for each in debootstrap docker; do command -v $$each > /dev/null || { echo "agents-base needs $$each: install it"; exit 1; }; done
	@docker version > /dev/null 2>&1 || { echo "agents-base needs an engine: start one, or point DOCKER_HOST at it"; exit 1; }
	debootstrap --variant=minbase --include=git,python3,python3-pytest,gcc,libc6-dev,make bookworm $(AGENTS_ROOT)
	tar -C $(AGENTS_ROOT) --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' --exclude='./dev/*' \
		--exclude='./proc/*' --exclude='./sys/*' -c . | docker import --change 'ENV LANG=C.UTF-8' \
		--change 'ENV DEBIAN_FRONTEND=noninteractive' --change 'WORKDIR /root' --change 'CMD ["bash"]' - rlenv/agents-base:latest
	rm -rf $(AGENTS_ROOT)

# mini-swe-agent in that image, for its Python: a box has no network to fetch it over. What it imports is compiled.
MINI_IMPORTS := minisweagent.run.mini, minisweagent.models.litellm_model
mini-base: MINI_ROOT := $(shell mktemp -u -d -t mini-base-XXXXXX)
mini-base:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-compile --target $(MINI_ROOT)/site --only-binary :all: \
		--python-version 3.11 --implementation cp mini-swe-agent==2.4.6
	rm -rf $(MINI_ROOT)/site/pyarrow* $(MINI_ROOT)/site/pandas* $(MINI_ROOT)/site/datasets* # its runs of SWE-bench alone
	printf 'FROM rlenv/agents-base\nCOPY site /opt/site\nRUN PYTHONPATH=/opt/site python3 -c "import $(MINI_IMPORTS)"\n' \
		> $(MINI_ROOT)/Dockerfile
	tar -C $(MINI_ROOT) -c . | docker build --quiet --network none --tag rlenv/mini-base:latest -
	rm -rf $(MINI_ROOT)

# A pretrained model learns a task on a CPU, in about half an hour.
demo-real: $(VENV)/installed
	test -f $(SMOLLM2)/config.json || $(MAKE) smollm2
	$(BIN)/python recipes/demo_real.py --model $(SMOLLM2) --device cpu --out runs/demo-real

# What only a GPU can show, offline, with what is installed: GPU=generation,update takes these parts, TINY=1 tries the code
# on a CPU. It sets nothing up: a machine with a GPU may have no package index.
GPU_PYTHON ?= $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON))
GPU_OUT ?= docs/gpu
GPU_PAGE ?= docs/gpu.md
gpu:
	PYTHONPATH=.:benchmarks $(GPU_PYTHON) benchmarks/gpu/run.py --parts "$(GPU)" --out $(GPU_OUT) --page $(GPU_PAGE) $(if $(TINY),--tiny)

# torch comes first and pinned, so that no other package draws in another build of it.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch setuptools
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

# The pages of docs/ and the reference as a site in site/; a broken link or a public name without its place is an error.
docs: .venvs/docs/installed
	NO_MKDOCS_2_WARNING=1 .venvs/docs/bin/mkdocs build --quiet
	@echo "site/index.html; with the search: $(PYTHON) -m http.server --directory site"

.venvs/docs/installed: pyproject.toml
	$(PYTHON) -m venv .venvs/docs
	.venvs/docs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV)
