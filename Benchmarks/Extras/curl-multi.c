// The benchmark client for libcurl: its multi interface, with the command line of
// `BenchmarkOptions`.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *workload = "", *url = "", *path = "", *trust = "";
static long requests = 1, concurrency = 1, warm_up = 1, expected = 0, connections = 0, buffer = 0, errors = 0;

// One transfer that is used again and again.
struct transfer {
    CURL *handle;
    FILE *file;
    long long received;
    char response[32];
};

static size_t take(char *bytes, size_t size, size_t count, void *argument) {
    struct transfer *transfer = argument;
    size_t length = size * count;
    if (strcmp(workload, "upload-file") == 0 && transfer->received + length < sizeof transfer->response) {
        memcpy(transfer->response + transfer->received, bytes, length);
        transfer->response[transfer->received + (long long)length] = 0;
    }
    if (transfer->file != NULL && strcmp(workload, "download-file") == 0) {
        fwrite(bytes, 1, length, transfer->file);
    }
    transfer->received += (long long)length;
    return length;
}

static void prepare(struct transfer *transfer) {
    transfer->received = 0;
    transfer->response[0] = 0;
    if (*path == 0) {
        return;
    }
    int upload = strcmp(workload, "upload-file") == 0;
    transfer->file = fopen(path, upload ? "rb" : "wb");
    if (transfer->file == NULL) {
        perror(path);
        exit(1);
    }
    setvbuf(transfer->file, NULL, _IONBF, 0);
    if (upload) {
        fseek(transfer->file, 0, SEEK_END);
        curl_easy_setopt(transfer->handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)ftell(transfer->file));
        rewind(transfer->file);
        curl_easy_setopt(transfer->handle, CURLOPT_READDATA, transfer->file);
    }
}

static void finish(struct transfer *transfer, CURLcode code) {
    long status = 0;
    curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
    long long got = strcmp(workload, "upload-file") == 0 ? atoll(transfer->response) : transfer->received;
    if (code != CURLE_OK || status != 200 || got != expected) {
        fprintf(stderr, "%s, status %ld, %lld\n", curl_easy_strerror(code), status, got);
        errors++;
    }
    if (transfer->file != NULL) {
        fclose(transfer->file);
        transfer->file = NULL;
    }
}

static void perform(CURLM *multi, struct transfer *transfers, long count) {
    long started = 0, finished = 0;
    for (; started < concurrency && started < count; started++) {
        prepare(&transfers[started]);
        curl_multi_add_handle(multi, transfers[started].handle);
    }
    while (finished < count) {
        int running = 0, left = 0;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        int some = 0;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            struct transfer *transfer = NULL;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            CURLcode code = message->data.result;
            curl_multi_remove_handle(multi, transfer->handle);
            finish(transfer, code);
            finished++;
            some = 1;
            if (started < count) {
                started++;
                prepare(transfer);
                curl_multi_add_handle(multi, transfer->handle);
            }
        }
        if (!some && finished < count) {
            curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
    }
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long peak_kilobytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "VmHWM: %ld", &peak);
    }
    if (status != NULL) {
        fclose(status);
    }
    return peak;
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments < 2) {
        return 2;
    }
    workload = arguments[1];
    int resumes = 0;
    for (int index = 2; index + 1 < count_of_arguments; index += 2) {
        if (strcmp(arguments[index], "--resume") == 0) {
            resumes = 1;
            index--;
            continue;
        }
        const char *name = arguments[index], *value = arguments[index + 1];
        if (strcmp(name, "--url") == 0) url = value;
        if (strcmp(name, "--file") == 0) path = value;
        if (strcmp(name, "--trust") == 0) trust = value;
        if (strcmp(name, "--requests") == 0) requests = atol(value);
        if (strcmp(name, "--concurrency") == 0) concurrency = atol(value);
        if (strcmp(name, "--warm-up") == 0) warm_up = atol(value);
        if (strcmp(name, "--expect") == 0) expected = atol(value);
        if (strcmp(name, "--connections") == 0) connections = atol(value);
        if (strcmp(name, "--buffer") == 0) buffer = atol(value);
    }
    struct transfer *transfers = concurrency < 1 ? NULL : calloc((size_t)concurrency, sizeof *transfers);
    if (transfers == NULL) {
        return 2;
    }
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 64L);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
    for (long index = 0; index < concurrency; index++) {
        CURL *handle = transfers[index].handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_URL, url);
        // Over HTTP/2 a transfer waits for the connection on which it can be a stream.
        curl_easy_setopt(handle, CURLOPT_PIPEWAIT, strncmp(url, "https:", 6) == 0 ? 1L : 0L);
        curl_easy_setopt(handle, CURLOPT_PRIVATE, &transfers[index]);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfers[index]);
        if (buffer > 0) {
            curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, buffer);
            curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, buffer);
        }
        if (*trust != 0) {
            curl_easy_setopt(handle, CURLOPT_CAINFO, trust);
            curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
            curl_easy_setopt(handle, CURLOPT_SSL_SESSIONID_CACHE, resumes ? 1L : 0L);
        }
        curl_easy_setopt(handle, CURLOPT_UPLOAD, strcmp(workload, "upload-file") == 0 ? 1L : 0L);
    }
    perform(multi, transfers, warm_up);
    errors = 0;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    double start = now();
    perform(multi, transfers, requests);
    double wall = now() - start;
    getrusage(RUSAGE_SELF, &after);
    printf(
        "{\"client\":\"curl\",\"workload\":\"%s\",\"count\":%ld,\"errors\":%ld,\"wallSeconds\":%.6f,"
        "\"userSeconds\":%.6f,\"systemSeconds\":%.6f,\"contextSwitches\":%ld,\"peakBytes\":%ld}\n",
        workload, requests, errors, wall, seconds(after.ru_utime) - seconds(before.ru_utime),
        seconds(after.ru_stime) - seconds(before.ru_stime), after.ru_nvcsw - before.ru_nvcsw, peak_kilobytes() * 1024
    );
    return errors == 0 ? 0 : 1;
}
