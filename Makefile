.PHONY: help build test race soak lint fmt golden bench demo

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "%-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the one binary, in bin/
	go build -trimpath -o bin/holdfast ./cmd/holdfast

test: ## everything, on a private PostgreSQL that the tests start themselves
	go test ./...

race: ## the race detector over the packages that share memory
	go test -race -short ./inventory/... ./jobs/... ./timezone/... ./tui/app/... ./tui/ui/...

soak: ## 300 holds a second for a minute beside a running sweep
	go test ./inventory/pgstore -run A9_threeHundredHoldsASecond -v -args -soak=60s

lint: ## vet, the formatter, and golangci-lint where it is installed
	go vet ./...
	@if command -v gofumpt >/dev/null; then test -z "$$(gofumpt -l .)" || { gofumpt -l .; exit 1; }; else echo "gofumpt is not installed: not run"; fi
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed: not run"; fi

fmt: ## format the code
	gofumpt -w .

golden: ## write the golden frames of the console anew; read the diff before you commit it
	go test ./tui/... -update

bench: ## the benchmarks of the drawing code and of the store
	go test -run '^$$' -bench . ./tui/... ./inventory/...

demo: ## the console on sample venues, with buyers that come and go
	go run ./cmd/holdfast demo
