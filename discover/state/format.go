package state

// format is the number of the format of files that this version writes.
const format = 1

// formatName is the bucket whose sequence is the format of the file. Those of sites begin with "s".
var formatName = []byte("format")
