// An HTTP/1.1 server that takes request bodies and throws them away: the cheapest receiver for the
// upload workload.
//
// nginx cannot do this: its WebDAV module writes the body to a file, and `return 200` responds
// before the body was read and then discards it in pieces of 4 KB. This server asks the kernel to
// drop the bytes (MSG_TRUNC): they are never copied, and the client is what is measured. The body
// of its response is the number of body bytes it received, in decimal.
//
//   bench-sink listens on a free port of 127.0.0.1, prints the port, serves until its standard
//   input closes
//
// Requests need a Content-Length; to `Expect: 100-continue` it responds with 100 Continue. One
// thread per connection.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { head_limit = 16384, discard_piece = 1 << 20 };

static int send_all(int connection, const char *text, size_t length) {
    while (length > 0) {
        ssize_t sent = send(connection, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return -1;
        }
        text += sent;
        length -= (size_t)sent;
    }
    return 0;
}

static int respond(int connection, const char *status, const char *body) {
    char response[256];
    int length = snprintf(
        response, sizeof response, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s", status,
        strlen(body), body
    );
    return send_all(connection, response, (size_t)length);
}

// The value of a header field in a head that ends with a zero byte, or NULL.
static const char *field(const char *head, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            return line + length + 1 + strspn(line + length + 1, " \t");
        }
    }
    return NULL;
}

// Serves one request; returns 0 when the connection can carry another.
static int serve_one(int connection) {
    char head[head_limit + 1];
    size_t filled = 0;
    char *end = NULL;
    while (end == NULL) {
        ssize_t got = filled < head_limit ? recv(connection, head + filled, head_limit - filled, 0) : -1;
        if (got <= 0) {
            return -1;
        }
        filled += (size_t)got;
        head[filled] = 0;
        end = memmem(head, filled, "\r\n\r\n", 4);
    }
    uint64_t received = filled - (size_t)(end + 4 - head);
    end[2] = 0;
    const char *length_field = field(head, "Content-Length");
    if (length_field == NULL) {
        respond(connection, "411 Length Required", "0");
        return -1;
    }
    uint64_t length = strtoull(length_field, NULL, 10);
    const char *expect = field(head, "Expect");
    if (expect != NULL && received < length && strncasecmp(expect, "100-continue", 12) == 0) {
        static const char proceed[] = "HTTP/1.1 100 Continue\r\n\r\n";
        if (send_all(connection, proceed, sizeof proceed - 1) != 0) {
            return -1;
        }
    }
    while (received < length) {
        uint64_t rest = length - received;
        // With MSG_TRUNC a TCP socket of Linux counts the bytes and drops them; nothing is written
        // to the pointer.
        ssize_t got = recv(connection, NULL, rest < discard_piece ? (size_t)rest : (size_t)discard_piece, MSG_TRUNC);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return -1;
        }
        received += (uint64_t)got;
    }
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)received);
    return received == length ? respond(connection, "200 OK", number) : -1;
}

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument;
    int one = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    while (serve_one(connection) == 0) {
    }
    close(connection);
    return NULL;
}

static void *accept_all(void *argument) {
    int listener = (int)(intptr_t)argument;
    for (;;) {
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        pthread_t thread;
        if (connection < 0) {
            continue;
        }
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) != 0) {
            close(connection);
            continue;
        }
        pthread_detach(thread);
    }
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 256) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        perror("bench-sink");
        return 1;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener) != 0) {
        perror("bench-sink");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    return 0;
}
