// Reads a form with Go's mime/multipart: the body from standard input, its Content-Type from the
// argument. Writes a JSON list of the parts to standard output.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"os"
)

type part struct {
	Name     string  `json:"name"`
	FileName *string `json:"filename"`
	Type     *string `json:"type"`
	Size     int64   `json:"size"`
	Hash     string  `json:"sha256"`
}

func main() {
	_, options, err := mime.ParseMediaType(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	reader := multipart.NewReader(os.Stdin, options["boundary"])
	parts := []part{}
	for {
		next, err := reader.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		hash := sha256.New()
		size, err := io.Copy(hash, next)
		if err != nil {
			log.Fatal(err)
		}
		// Not next.FileName(), which takes the last component of a path.
		_, disposition, err := mime.ParseMediaType(next.Header.Get("Content-Disposition"))
		if err != nil {
			log.Fatal(err)
		}
		found := part{Name: disposition["name"], Size: size, Hash: hex.EncodeToString(hash.Sum(nil))}
		if name, there := disposition["filename"]; there {
			found.FileName = &name
		}
		if kind := next.Header.Get("Content-Type"); kind != "" {
			found.Type = &kind
		}
		parts = append(parts, found)
	}
	if err := json.NewEncoder(os.Stdout).Encode(parts); err != nil {
		log.Fatal(err)
	}
}
