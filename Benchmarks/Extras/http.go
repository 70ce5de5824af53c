// The benchmark client for Go: net/http, with the command line of `BenchmarkOptions`.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type record struct {
	ID         int     `json:"id"`
	GUID       string  `json:"guid"`
	Name       string  `json:"name"`
	Email      string  `json:"email"`
	City       string  `json:"city"`
	Zip        string  `json:"zip"`
	Balance    float64 `json:"balance"`
	Age        int     `json:"age"`
	Active     bool    `json:"active"`
	Registered string  `json:"registered"`
}

func once(client *http.Client, workload, url, path string) (int64, error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if workload == "upload-file" && err == nil {
		file, failure := os.Open(path)
		if failure != nil {
			return 0, failure
		}
		defer file.Close()
		status, failure := file.Stat()
		if failure != nil {
			return 0, failure
		}
		request, err = http.NewRequest(http.MethodPut, url, file)
		if err == nil {
			request.ContentLength = status.Size()
		}
	}
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %d", response.StatusCode)
	}
	switch workload {
	case "download-null":
		return io.Copy(io.Discard, response.Body)
	case "download-file":
		file, err := os.Create(path)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		return io.Copy(file, response.Body)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	switch workload {
	case "upload-file":
		return strconv.ParseInt(string(body), 10, 64)
	case "json-100k":
		var records []record
		err := json.Unmarshal(body, &records)
		return int64(len(records)), err
	}
	return int64(len(body)), nil
}

func usage() syscall.Rusage {
	var result syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &result); err != nil {
		panic(err)
	}
	return result
}

func seconds(time syscall.Timeval) float64 {
	return float64(time.Sec) + float64(time.Usec)/1e6
}

func peakBytes() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}

func main() {
	workload := os.Args[1]
	set := flag.NewFlagSet("http-go", flag.ExitOnError)
	url, path := set.String("url", "", ""), set.String("file", "", "")
	requests, concurrency := set.Int("requests", 1, ""), set.Int("concurrency", 1, "")
	warmUp, expect := set.Int("warm-up", 1, ""), set.Int64("expect", 0, "")
	connections, trust := set.Int("connections", 0, ""), set.String("trust", "", "")
	resumes := set.Bool("resume", false, "")
	if err := set.Parse(os.Args[2:]); err != nil {
		os.Exit(2)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: *connections, ForceAttemptHTTP2: true}
	if *trust != "" {
		authority, err := os.ReadFile(*trust)
		if err != nil {
			panic(err)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		if *resumes {
			transport.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(0)
		}
	}
	client := &http.Client{Transport: transport}
	var errors int64
	perform := func(count int) {
		var group sync.WaitGroup
		tasks := *concurrency
		if count < tasks {
			tasks = count
		}
		for index := 0; index < tasks; index++ {
			group.Add(1)
			go func(share int) {
				defer group.Done()
				for ; share > 0; share-- {
					if got, err := once(client, workload, *url, *path); err != nil || got != *expect {
						fmt.Fprintln(os.Stderr, got, err)
						atomic.AddInt64(&errors, 1)
					}
				}
			}((count + index) / tasks)
		}
		group.Wait()
	}
	perform(*warmUp)
	errors = 0
	before, start := usage(), time.Now()
	perform(*requests)
	wall, after := time.Since(start).Seconds(), usage()
	line, _ := json.Marshal(map[string]any{
		"client": "go", "workload": workload, "count": *requests, "errors": errors, "wallSeconds": wall,
		"userSeconds":     seconds(after.Utime) - seconds(before.Utime),
		"systemSeconds":   seconds(after.Stime) - seconds(before.Stime),
		"contextSwitches": after.Nvcsw - before.Nvcsw, "peakBytes": peakBytes(),
	})
	fmt.Println(string(line))
	if errors > 0 {
		os.Exit(1)
	}
}
