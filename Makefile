# Run `make` for what there is.

PYTHON ?= python3.11

# The book's own environment has no torch; the other one has everything.
BOOK_VENV := .venv-book
VENV := .venv
LABS := $(wildcard notebooks/*.ipynb)
DOWNLOAD := _build/html/downloads/from-configuration-to-parameters

# PyTorch's index of CPU builds: the general package index has only a CUDA build for Linux, of several GB.
# Where it cannot be reached, pip says so and takes what it finds elsewhere.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
.DELETE_ON_ERROR:
.PHONY: help book test lab notebooks pdf site links python browser

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | awk -F '\t' '{printf "make %-10s %s\n", $$1, $$2}'

book: $(BOOK_VENV)/.ready node_modules/.ready ## Build the book (no torch needed) and say where to open it
	@rm -rf _build/html _build/.doctrees  # on top of an older build, pages name their style sheets in another way
	$(BOOK_VENV)/bin/jupyter-book build . --all -W -n --keep-going --quiet
	@echo "Open file://$(CURDIR)/_build/html/index.html"

test: browser $(VENV)/.ready book ## Run every check: mechanics, style, unit tests, labs, built pages in a browser
	$(VENV)/bin/python src/verify_mechanics.py
	$(VENV)/bin/ruff check .
	OMP_NUM_THREADS=1 $(VENV)/bin/pytest --nbval --numprocesses 2 --dist loadscope tests notebooks

# With more threads than free cores, a small model takes many times as long.
lab notebooks: export OMP_NUM_THREADS ?= 1

lab: $(VENV)/.ready ## Open the labs in JupyterLab
	$(VENV)/bin/jupyter trust --log-level=WARN $(LABS)  # or JupyterLab shows no saved drawing
	$(VENV)/bin/jupyter lab --LabApp.default_url=/lab/tree/notebooks

notebooks: $(VENV)/.ready ## Run every lab again, or LABS=notebooks/NAME.ipynb, in place, and normalize the files
	$(VENV)/bin/python tools/make_exercise_labs.py $(LABS)
	$(VENV)/bin/python tools/first_cell.py $(LABS)
	$(VENV)/bin/jupyter nbconvert --to notebook --execute --inplace $(LABS)
	$(VENV)/bin/python tools/normalize_notebooks.py $(LABS)

pdf: browser $(VENV)/.ready book ## Print the chapter as one PDF
	$(VENV)/bin/python tools/print_chapter.py _build/html $(DOWNLOAD).pdf
	@echo "Printed $(DOWNLOAD).pdf"

site: export BOOK_DOWNLOADS = 1
site: pdf ## Build what is published: the pages, the PDF, the committed folder to run the labs, and a zip of all to read offline
	git archive --format=zip --prefix=$(notdir $(DOWNLOAD))/ --output=$(DOWNLOAD)-source.zip HEAD
	$(VENV)/bin/python tools/pack_site.py _build/html $(DOWNLOAD).zip
	@echo "Packed $(DOWNLOAD).zip; the site is _build/html"

links: $(BOOK_VENV)/.ready node_modules/.ready ## Ask every address that the book cites whether it still answers
	$(BOOK_VENV)/bin/jupyter-book build . --builder linkcheck

# What the targets above need. Each stamp is made again when the files it was made from change.

python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 is needed: install it, or say where it is with PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "Python 3.11 is needed, but $(PYTHON) is another version: set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is needed: on Debian, apt install python3.11-venv"; exit 1; }

browser:
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || { echo "Chromium is needed for the checks in a browser: install it, or say where it is with CHROMIUM=/path/to/chromium"; exit 1; }

$(BOOK_VENV)/.ready: requirements-book.txt | python
	$(PYTHON) -m venv $(BOOK_VENV)
	$(BOOK_VENV)/bin/python $(PIP_INSTALL) -r requirements-book.txt
	$(BOOK_VENV)/bin/python -m pip check
	@touch $@

$(VENV)/.ready: requirements.txt requirements-book.txt pyproject.toml | python
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP_INSTALL) --no-deps --retries 1 --extra-index-url $(TORCH_INDEX) $$(grep '^torch==' requirements.txt)
	$(VENV)/bin/python $(PIP_INSTALL) -r requirements.txt
	$(VENV)/bin/python -m pip check
	@touch $@

node_modules/.ready: package.json package-lock.json $(BOOK_VENV)/.ready
	PATH="$(CURDIR)/$(BOOK_VENV)/bin:$$PATH" npm ci --ignore-scripts --loglevel=error
	@touch $@
