# Two commands: `make run` and `make test`. Both install what is missing first, and work without the network the second time.

CARGO ?= cargo
NPM ?= npm
# `true` where everything is linted as it is built.
CLIPPY ?= $(CARGO) clippy --workspace --all-targets --locked -- -D warnings
# The simulation turns on features that the program must not have.
WITHOUT_SIM := --workspace --exclude harit-sim --locked
# The program as tests have it: built by itself its dependencies have other features, and are built once more.
PROGRAM := $(CARGO) test $(WITHOUT_SIM) --no-run --test system
export CARGO_NET_RETRY ?= 5
# Most tests wait for deadlines of a server; those that measure times see to it themselves that nothing runs beside them.
export RUST_TEST_THREADS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 3)))

.PHONY: check-dependencies check-packaging fuzz-api test-services test-cluster test-power-loss run test test-rust coverage build console lint check fmt clean prerequisites test-clients e2e screenshots bench

## Build everything and start the demo at http://127.0.0.1:8080
run: build
	./target/release/harit serve --demo

## All tests
test: prerequisites test-clients console lint
	$(CARGO) test $(WITHOUT_SIM) --no-run
	@# Tests of servers wait half of the time.
	./scripts/beside.sh target/console-tests.log "cd console && $(NPM) test" $(MAKE) test-rust
	$(MAKE) e2e

test-rust:
	$(CARGO) test $(WITHOUT_SIM)
	@# Named by their files, of the whole workspace: so nothing is built again but what the deliberate mistakes are in.
	$(CARGO) test --workspace --features harit-sim/planted-bugs --locked $(patsubst sim/tests/%.rs,--test %,$(wildcard sim/tests/*.rs))

## The server, with the console inside
build: prerequisites console
	$(CARGO) build --release --locked --bin harit

console: console/dist/index.html

console/node_modules/.installed: console/package.json console/package-lock.json | prerequisites
	cd console && $(NPM) ci --prefer-offline
	touch $@

CONSOLE_SOURCES := $(shell find console/src console/public console/index.html console/vite.config.ts -type f 2>/dev/null)

console/dist/index.html: console/node_modules/.installed $(CONSOLE_SOURCES)
	cd console && $(NPM) run build
	touch $@

## Formatting, lints, generated files in step
lint: console/node_modules/.installed
	$(CARGO) fmt --all --check
	$(CLIPPY)
	./scripts/check-engine-is-pure.sh
	./scripts/check-features.sh
	./scripts/check-openapi.sh
	cd console && $(NPM) run check && $(NPM) run lint

## The console in a real browser against the real server
e2e: prerequisites console
	$(PROGRAM)
	cd console && HARIT_BIN=$(CURDIR)/target/debug/harit $(NPM) run e2e

## The API, asked 5,000 generated questions
fuzz-api: prerequisites console
	$(PROGRAM)
	./scripts/fuzz-api.sh

## Against real databases of others
test-services: prerequisites
	./scripts/test-services.sh

## The journal on NATS JetStream, and two servers that have it in turn, against real servers of NATS and PostgreSQL
test-cluster: prerequisites
	./scripts/test-cluster.sh

## Servers of NATS that lose power; as root, and not part of `make test`
test-power-loss:
	./scripts/test-power-loss.sh

## Alerts, dashboard, unit, containers and the Debian package
check-packaging: prerequisites console
	$(PROGRAM)
	./scripts/check-packaging.sh

## Licences, sources and unwanted crates of what is built in
check-dependencies:
	./scripts/check-dependencies.sh

## Which lines and branches of the engine its tests run; not part of `make test`
coverage: prerequisites
	./scripts/coverage.sh

## Pictures of every screen, in every language, width and scheme, into console/screenshots/
screenshots: prerequisites console
	$(PROGRAM)
	cd console && HARIT_BIN=$(CURDIR)/target/debug/harit $(NPM) run screenshots

fmt:
	$(CARGO) fmt --all
	cd console && $(NPM) run format

prerequisites:
	@./scripts/prerequisites.sh

test-clients: prerequisites
	@./scripts/install-test-clients.sh

clean:
	rm -rf target console/dist console/node_modules
