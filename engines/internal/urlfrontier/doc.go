// Package urlfrontier is the client and server code of URLFrontier's interface, as protoc makes it
// from urlfrontier.proto. To make it again, have protoc and run
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
//	go generate ./internal/urlfrontier
//
// in the folder of this module.
package urlfrontier

//go:generate -command protoc protoc --go_out=. --go_opt=paths=source_relative
//go:generate protoc --go-grpc_out=. --go-grpc_opt=paths=source_relative urlfrontier.proto
