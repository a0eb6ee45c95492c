// Package xmlchar knows the characters of XML 1.0, and the references to them:
//
//	xmlchar.Decode(nil, []byte("a &amp; b")) // "a & b"
//	xmlchar.Sound([]byte("\x01"))            // false: XML forbids it
//
// The files, each building on those before it:
//
//	sound.go      characters that XML allows
//	reference.go  references to characters
package xmlchar
