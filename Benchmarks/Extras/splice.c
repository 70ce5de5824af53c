// Receives a body from a socket into a file, by read and write or by splice: would bodies that pass
// no memory of the process be cheaper? The sender is a process of its own, on the same machine.
//
//     cc -O2 -o splice splice.c && ./splice FILE MEGABYTES ROUNDS
//
// Prints the processor time of the receiver for each way: the least and the median of all rounds,
// which alternate.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 256 << 10, PIPE = 1 << 20 };

static void check(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void send_all(struct sockaddr_in *address, size_t count) {
    int out = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(out, (struct sockaddr *)address, sizeof *address) == 0, "connect");
    char *block = calloc(1, BLOCK);
    for (size_t sent = 0; sent < count;) {
        ssize_t written = write(out, block, count - sent < BLOCK ? count - sent : BLOCK);
        check(written > 0, "send");
        sent += written;
    }
    _exit(0);
}

static size_t copy(int in, int file) {
    static char block[BLOCK];
    size_t total = 0;
    for (ssize_t count; (count = read(in, block, BLOCK)) > 0; total += count) {
        for (ssize_t done = 0, step; done < count; done += step)
            check((step = write(file, block + done, count - done)) > 0, "write");
    }
    return total;
}

static size_t splice_all(int in, int file) {
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    check(fcntl(ends[1], F_SETPIPE_SZ, PIPE) > 0, "F_SETPIPE_SZ");
    size_t total = 0;
    for (ssize_t count; (count = splice(in, 0, ends[1], 0, PIPE, SPLICE_F_MOVE | SPLICE_F_MORE)) > 0; total += count) {
        for (ssize_t done = 0, step; done < count; done += step)
            check((step = splice(ends[0], 0, file, 0, count - done, SPLICE_F_MOVE)) > 0, "splice");
    }
    close(ends[0]);
    close(ends[1]);
    return total;
}

// The microseconds for a megabyte.
static double measure(size_t (*receive)(int, int), const char *path, size_t count) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0, "listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    pid_t sender = fork();
    check(sender >= 0, "fork");
    if (sender == 0) send_all(&address, count);
    int in = accept(listener, NULL, NULL);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    check(in >= 0 && file >= 0, path);
    double before = processor_time();
    size_t received = receive(in, file);
    double after = processor_time();
    check(received == count, "received");
    close(in);
    close(file);
    close(listener);
    waitpid(sender, NULL, 0);
    return (after - before) * 1e12 / count;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **words) {
    if (count != 4 || atoi(words[2]) < 1 || atoi(words[3]) < 1) {
        fprintf(stderr, "usage: splice FILE MEGABYTES ROUNDS\n");
        return 2;
    }
    size_t bytes = (size_t)atoi(words[2]) * 1000000;
    int rounds = atoi(words[3]);
    double *copied = calloc(rounds, sizeof *copied), *spliced = calloc(rounds, sizeof *spliced);
    for (int round = 0; round < rounds; round++) {
        copied[round] = measure(copy, words[1], bytes);
        spliced[round] = measure(splice_all, words[1], bytes);
    }
    unlink(words[1]);
    qsort(copied, rounds, sizeof *copied, ascending);
    qsort(spliced, rounds, sizeof *spliced, ascending);
    printf("read and write: %.0f, median %.0f µs of CPU for a MB\n", copied[0], copied[rounds / 2]);
    printf("splice:         %.0f, median %.0f µs of CPU for a MB\n", spliced[0], spliced[rounds / 2]);
    return 0;
}
