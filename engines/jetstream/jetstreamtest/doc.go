// Package jetstreamtest tests package natsqueue against brokers in the process. It is a module of
// its own, outside of go.work, so that the module of the engines does not need the broker:
//
//	GOWORK=off go test -C engines/jetstream/jetstreamtest .
package jetstreamtest
