package state

import "errors"

// format is the number of the format that this version writes, in files and in streams.
const format = 1

var errNewer = errors.New("a newer version of this module wrote it")

// formatName is the bucket whose sequence is the format of the file. Those of sites begin with "s".
var formatName = []byte("format")
