# Every target is one script; the scripts take arguments that make cannot pass: scripts/test
# --repeat 20
.PHONY: help demo test command install uninstall package lint api bench docs examples clean
.DEFAULT_GOAL := help

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## build the command and tour the library against the embedded server
	@scripts/demo

test: ## build and run every test, interop servers included
	@scripts/test

command: ## build the release command, .build/release/bluebonnet: TRAITS (Brotli,Zstd,Stores)
	@TRAITS='$(TRAITS)' scripts/command

install: ## install the command, its manual page and completions: PREFIX (/usr/local), DESTDIR
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall: ## remove what install has installed
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --uninstall

package: ## make a Debian package of the command, and try it in a new system
	@scripts/package

lint: ## check format and house rules
	@scripts/lint

api: ## compare the public API with its baseline
	@scripts/api

bench: ## run the benchmarks against the other clients
	@scripts/bench

docs: ## build the documentation into .build-docs
	@scripts/docs

examples: ## build and run every example
	@scripts/examples

clean: ## remove everything that was built
	@rm -rf .build .build-*
