# Graben: what one types. Each target says what it does, installs liblz4-dev and libexpat1-dev where they are missing, and stops at the first failure.

.DEFAULT_GOAL := help
.PHONY: help deps demo test test-all crash kill threads fuzz bench lint

# Tests that walk mapped files, chunks, lanes and cells by address: these run once more under the address sanitizer.
SANITIZED ?= GrabenLogTests|GrabenModelTests\.(Import|Export)|GrabenTests\.|GrabenMacroTests\.(Hierarchy|Field)Tests
# Tests in which several threads use one log, one container or one context's executor.
THREADED ?= GrabenLogTests\.(ReaderThread|Sync|CrashImage|RealFile|AutomaticCompaction)Tests|GrabenLogTests\..*/threads|GrabenTests\..*/(threads|backup)
# Of those, what replays power losses, failing calls or flipped bits by the thousand, which the sanitizer makes slow and which walk no other addresses, and
# what measures memory, which it changes.
UNSANITIZED ?= (Failure|Durability|CrashImage|Flip|Memory)Tests
# What the builds of the tests are told beside. Continuous integration builds everything once and leaves out what debuggers read. What editors read it has
# to keep: tests are found in that.
BUILD ?=
# Where headers may be.
HEADERS ?= /usr/include /usr/local/include /opt/homebrew/include /opt/homebrew/opt/expat/include
# Arguments of the benchmarks, as in: make bench ARGS="--quick --only lookup"
ARGS ?=
# How many crash images `make crash` makes, and from which seed and run on; without a seed it draws one and prints it.
COUNT ?= 1000000
SEED ?=
RUN ?= 0
# How often `make kill` kills.
ROUNDS ?= 1000
# How long `make fuzz` runs; a seed may follow.
SECONDS ?= 600

help:
	@echo "make demo    build the demo and run it: a town's pipes go into one file and come out again"
	@echo "make test    the memory-sensitive tests under the address sanitizer, a package that depends on this one, then every test"
	@echo "make test-all  that package by path too, then all of make test"
	@echo "make crash   power losses on a simulated disk, COUNT=1000000 of them (SEED=, RUN= to go on); status 1 if one loses anything"
	@echo "make kill    kill -9 of a process that commits, ROUNDS=1000 times; status 1 if one loses anything"
	@echo "make threads  tests of threads under the thread sanitizer"
	@echo "make fuzz    predicates, then logs and indexes made at random, each for SECONDS=600; stops at the first that crashes or hangs"
	@echo "make bench   measure against SQLite, LMDB and the bare machine (ARGS=--quick: under a minute once built)"
	@echo "make lint    formatting and compiler warnings, of Swift and C"

# Installing needs apt and the right to use it; where either is missing the message says what to do instead.
deps:
	@found() { for folder in $(HEADERS); do if [ -e "$$folder/$$1" ]; then return 0; fi; done; return 1; }; \
	missing=; found lz4.h || missing="liblz4-dev"; \
	found expat.h || [ "$$(uname)" = Darwin ] || missing="$$missing libexpat1-dev"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then as=""; elif sudo -n true 2>/dev/null; then as="sudo"; else as=none; fi; \
	if command -v apt-get >/dev/null && [ "$$as" != none ]; then \
	    echo "==> installing with apt-get what is missing: $$missing"; \
	    $$as apt-get install -y -q $$missing || { $$as apt-get update -q && $$as apt-get install -y -q $$missing; }; \
	else \
	    echo "make: development files are missing, and there is no apt-get or no right to use it here: $$missing" >&2; \
	    echo "Install them and run make again: 'apt-get install $$missing' as root on Debian and Ubuntu, 'dnf install lz4-devel" >&2; \
	    echo "expat-devel' on Fedora, 'brew install lz4' on macOS, which has expat." >&2; \
	    exit 1; \
	fi

demo: deps
	@echo "==> building the demo (release)"
	@swift build -c release --product Demo
	@echo "==> running it"
	@.build/release/Demo

# The whole suite comes last, so that the last line is its summary. Long campaigns are cut short (GRABEN_BRIEF) where they run a second time. Leaks are not looked for: Swift keeps bits of its own in the pointers of
# indirect enum cases, so what only a global of such a type holds counts as lost. A release build keeps one core busy, so the outside package is built beside the tests under the sanitizer.
test: deps
	@mkdir -p .build
	@echo "==> the memory-sensitive tests under the address sanitizer, and beside them a package that depends on this one"
	@Scripts/outside.sh version >.build/outside.log 2>&1 & outside=$$!; \
	ASAN_OPTIONS=detect_leaks=0 GRABEN_BRIEF=1 swift test --disable-xctest $(BUILD) --sanitize=address --scratch-path .build/asan \
	    --filter '$(SANITIZED)' --skip '$(UNSANITIZED)'; sanitized=$$?; \
	wait $$outside; status=$$?; cat .build/outside.log; [ $$sanitized = 0 ] || exit $$sanitized; exit $$status
	@echo "==> every statement about objects has a test"
	@Scripts/statements.sh
	@echo "==> every test"
	@swift test --disable-xctest $(BUILD)

test-all: deps
	@Scripts/outside.sh path
	@$(MAKE) --no-print-directory test

# What is turned over comes first, so that the last line is that of the images.
crash: deps
	@echo "==> building what crashes stores (release)"
	@swift build -c release --product StoreCrash
	@seed='$(SEED)'; seed=$${seed:-$$(od -An -N7 -tu8 /dev/urandom | tr -d ' ')}; \
	.build/release/StoreCrash flips 100000 $$seed && .build/release/StoreCrash images $(COUNT) $$seed $(RUN)

kill: deps
	@echo "==> building what is killed (release)"
	@swift build -c release --product StoreCrash
	@.build/release/StoreCrash kill $(ROUNDS) $(SEED)

threads: deps
	@echo "==> tests of threads under the thread sanitizer"
	@GRABEN_BRIEF=1 TSAN_OPTIONS=exitcode=66:suppressions=$(CURDIR)/Tests/thread-sanitizer.txt \
	    swift test --disable-xctest --sanitize=thread --scratch-path .build/tsan --filter '$(THREADED)'

fuzz: deps
	@echo "==> building the fuzzer of predicates (release)"
	@swift build -c release --product PredicateFuzz
	@.build/release/PredicateFuzz $(SECONDS)
	@echo "==> building the fuzzer of logs, with libFuzzer and the address sanitizer, and running it"
	@Scripts/fuzz-log.sh $(SECONDS) -verbosity=0 || { status=$$?; [ $$status = 77 ] || exit $$status; }

bench: deps
	@echo "==> building the static command line and the memory probe (below .build/static)"
	@GRABEN_STATIC=1 swift build -c release --static-swift-stdlib --scratch-path .build/static --product graben
	@GRABEN_STATIC=1 swift build -c release --static-swift-stdlib --scratch-path .build/static --product PeerProbe
	@echo "==> building the benchmarks (release)"
	@swift build -c release --product GrabenBenchmarks
	@.build/release/GrabenBenchmarks $(ARGS)

lint: deps
	@echo "==> formatting"
	@swift format lint -r --strict Package.swift Sources Tests Benchmarks Examples
	@echo "==> warnings in C"
	@peers=; \
	if [ -e /usr/include/sqlite3.h ]; then peers="-DGRABEN_PEER_SQLITE"; fi; \
	if [ -e /usr/include/lmdb.h ]; then peers="$$peers -DGRABEN_PEER_LMDB"; fi; \
	for file in Sources/CGraben/*.c Benchmarks/CPeers/*.c Benchmarks/PeerProbe/*.c; do \
	    clang -std=c17 -D_GNU_SOURCE $$peers -Wall -Wextra -Wpedantic -Werror -fsyntax-only -ISources/CGraben/include -IBenchmarks/CPeers/include \
	        $$file || exit 1; \
	done
	@echo "==> warnings in Swift (the package makes them errors)"
	@swift build --build-tests
