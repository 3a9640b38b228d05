# An index of commands. What they do is in xtask/src; what a fresh machine needs, they install.
# `exec`, where ARGS may need a shell: a signal to make must reach xtask and not stop at the shell.

.PHONY: help run test check setup peers conformance bindings bench hostile torture fuzz mutants bootstrap

help: ## this index (the default)
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "  make %-11s %s\n", $$1, $$2 }'

run: bootstrap ## build and open the window (ARGS="--project DIR"; ONCE=1: screenshot, then end)
	@exec cargo xtask run $(if $(ONCE),--once) -- $(ARGS)

test: bootstrap ## every test: order, UI, workspace, the real window
	@cargo xtask test

check: bootstrap ## formatting, lints and types, of Rust and of the UI
	@cargo xtask check

setup: bootstrap ## install what run, check, test, peers and conformance need, and nothing else
	@cargo xtask setup

peers: bootstrap ## tests against foreign servers, installed once into target/peers
	@cargo xtask peers

conformance: bootstrap ## the official suite against our client and the demo, installed once (ARGS="server" or a scenario)
	@exec cargo xtask conformance $(ARGS)

bindings: bootstrap ## write the TypeScript types of the API
	@cargo xtask bindings

bench: bootstrap ## measure (ARGS go to the bench)
	@exec cargo xtask bench $(ARGS)

hostile: bootstrap ## servers that misbehave: what the core survives (ARGS="--case S2 --seed N --json")
	@exec cargo xtask hostile $(ARGS)

torture: bootstrap ## 1,000 killed connections and 200 killed apps must leave nothing (ARGS="--cycles N --kills N --seed N")
	@exec cargo xtask torture $(ARGS)

fuzz: bootstrap ## look for inputs that break framing, messages or templates (ARGS="--seconds N --keep TARGET")
	@exec cargo xtask fuzz $(ARGS)

mutants: bootstrap ## see whether the tests of framing and pairing notice mistakes
	@exec cargo xtask mutants $(ARGS)

bootstrap:
	@sh xtask/bootstrap.sh
