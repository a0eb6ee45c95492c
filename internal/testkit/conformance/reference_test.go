package conformance

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A node is an element of a document as encoding/xml reads it.
type node struct {
	prefix, local string // local in lower case
	space         string // URI
	attrs         []xml.Attr
	bindings      map[string]string // prefix to URI, "" for the default
	children      []*node           // elements, and text if local is ""
	text          string            // of a text node
}

// errSetAside marks a document that encoding/xml accepts but that is not compared.
var errSetAside = errors.New("set aside")

// invalidReference matches references to surrogates, which encoding/xml reads as U+FFFD.
var invalidReference = regexp.MustCompile(`(?i)&#(x0*d[89a-f][0-9a-f]{2}|0*5(529[6-9]|5[3-9]\d\d|[67]\d{3}));`)

// sectionInSection matches a start of a CDATA section after which another one starts before the
// next end.
var sectionInSection = regexp.MustCompile(`(?s)<!\[CDATA\[([^\]]|\][^\]]|\]\]+[^\]>])*?<!\[CDATA\[`)

// readTree reads a document with encoding/xml in its strict mode. It sets aside documents that
// encoding/xml accepts although XML or its namespaces forbid them: text or elements around the
// root, undeclared prefixes, names of three parts, an attribute twice, or bytes that are not UTF-8
// in comments. It also sets aside valid documents that our scanner reads differently, so that
// damaged ones lose less: CDATA sections that contain the start of another one, and processing
// instructions that contain a '<'.
func readTree(doc []byte) (*node, error) {
	strict := xml.NewDecoder(bytes.NewReader(doc))
	for {
		if _, err := strict.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if bytes.Count(doc, []byte("<![CDATA[")) != bytes.Count(doc, []byte("]]>")) ||
		sectionInSection.Match(doc) || invalidReference.Match(doc) || !utf8.Valid(doc) {
		return nil, errSetAside
	}
	top := &node{bindings: map[string]string{"xml": "http://www.w3.org/XML/1998/namespace"}}
	open := []*node{top}
	raw := xml.NewDecoder(bytes.NewReader(doc))
	for {
		tok, err := raw.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		parent := open[len(open)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			n, err := parent.child(tok)
			if err != nil {
				return nil, err
			}
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			parent.children = append(parent.children, &node{text: string(tok)})
		case xml.Directive:
			if bytes.IndexByte(tok, '<') >= 0 {
				return nil, errSetAside
			}
		case xml.ProcInst:
			if bytes.IndexByte(tok.Inst, '<') >= 0 {
				return nil, errSetAside
			}
		}
	}
	var root *node
	for _, n := range top.children {
		switch {
		case n.local == "" && strings.TrimSpace(n.text) == "":
		case n.local == "" || root != nil:
			return nil, errSetAside
		default:
			root = n
		}
	}
	if root == nil {
		return nil, errSetAside
	}
	return root, nil
}

// child adds an element.
func (n *node) child(tok xml.StartElement) (*node, error) {
	c := &node{prefix: tok.Name.Space, local: strings.ToLower(tok.Name.Local),
		attrs: slices.Clone(tok.Attr), bindings: n.bindings}
	if strings.Contains(tok.Name.Local, ":") || tok.Name.Local == "" {
		return nil, errSetAside
	}
	for i, a := range tok.Attr {
		if slices.ContainsFunc(tok.Attr[:i],
			func(b xml.Attr) bool { return strings.EqualFold(a.Name.Local, b.Name.Local) }) {
			return nil, errSetAside
		}
		prefix, isDecl := "", a.Name.Space == "" && a.Name.Local == "xmlns"
		if a.Name.Space == "xmlns" {
			prefix, isDecl = a.Name.Local, true
		}
		if isDecl {
			bindings := map[string]string{prefix: a.Value}
			for p, uri := range c.bindings {
				if p != prefix {
					bindings[p] = uri
				}
			}
			c.bindings = bindings
		}
	}
	uri, declared := c.bindings[c.prefix]
	if !declared && c.prefix != "" {
		return nil, errSetAside
	}
	c.space = uri
	n.children = append(n.children, c)
	return c, nil
}

// content returns the text in n and in its elements.
func (n *node) content() string {
	if n.local == "" {
		return n.text
	}
	var b strings.Builder
	for _, c := range n.children {
		b.WriteString(c.content())
	}
	return b.String()
}

// direct returns the text in n itself.
func (n *node) direct() string {
	var b strings.Builder
	for _, c := range n.children {
		if c.local == "" {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// any reports whether f is true for an element in n, at any depth.
func (n *node) any(f func(*node) bool) bool {
	return slices.ContainsFunc(n.children, func(c *node) bool {
		return c.local != "" && (f(c) || c.any(f))
	})
}

// attr returns an attribute by its local name.
func (n *node) attr(local string) (string, bool) {
	for _, a := range n.attrs {
		if strings.EqualFold(a.Name.Local, local) {
			return a.Value, true
		}
	}
	return "", false
}
