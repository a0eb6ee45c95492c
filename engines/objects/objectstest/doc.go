// Package objectstest tests package objects against versitygw, an S3 server, in a process of its
// own. It is a module of its own, outside of go.work, so that the module of the engines does not
// need the server:
//
//	GOWORK=off go test -C engines/objects/objectstest .
package objectstest
