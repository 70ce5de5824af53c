// A WebSocket server that echoes (RFC 6455), the cheapest one for the workload of WebSockets: no
// TLS, no compression, no fragments, frames of less than 64 KiB. Each connection has a thread.
//
//   bench-echo listens on a free port of 127.0.0.1, prints the port, serves until its standard
//   input closes

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE (1 << 18)

static uint32_t rotated(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

// SHA-1 (RFC 3174) of a text of less than 119 bytes, which fills two blocks with its padding.
static void sha1(const char *text, uint8_t digest[20]) {
    uint32_t hash[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    uint8_t message[128] = {0};
    size_t length = strlen(text), blocks = length + 9 > 64 ? 2 : 1;
    memcpy(message, text, length);
    message[length] = 0x80;
    message[blocks * 64 - 2] = (uint8_t)(length >> 5);
    message[blocks * 64 - 1] = (uint8_t)(length << 3);
    for (size_t block = 0; block < blocks; block++) {
        uint32_t words[80];
        for (int i = 0; i < 16; i++) {
            const uint8_t *bytes = message + block * 64 + i * 4;
            words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
        }
        for (int i = 16; i < 80; i++) words[i] = rotated(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
        uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4];
        for (int i = 0; i < 80; i++) {
            uint32_t mix = i < 20 ? ((b & c) | (~b & d)) + 0x5A827999
                : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                : (b ^ c ^ d) + 0xCA62C1D6;
            uint32_t next = rotated(a, 5) + mix + e + words[i];
            e = d, d = c, c = rotated(b, 30), b = a, a = next;
        }
        hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d, hash[4] += e;
    }
    for (int i = 0; i < 20; i++) digest[i] = (uint8_t)(hash[i / 4] >> (24 - 8 * (i % 4)));
}

// The 28 characters of Base64 for 20 bytes.
static void base64(const uint8_t digest[20], char text[29]) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t bytes[21] = {0};
    memcpy(bytes, digest, 20);
    for (int i = 0; i < 7; i++) {
        uint32_t word = (uint32_t)bytes[i * 3] << 16 | (uint32_t)bytes[i * 3 + 1] << 8 | bytes[i * 3 + 2];
        for (int j = 0; j < 4; j++) text[i * 4 + j] = letters[word >> (18 - 6 * j) & 63];
    }
    text[27] = '=', text[28] = 0;
}

static int send_all(int client, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        bytes += sent, count -= (size_t)sent;
    }
    return 1;
}

// Reads the opening request, of which nothing but the key counts, and agrees.
static int open_socket(int client) {
    char request[8192];
    size_t count = 0;
    do {
        ssize_t size = recv(client, request + count, sizeof request - 1 - count, 0);
        if (size <= 0) return 0;
        count += (size_t)size;
        request[count] = 0;
    } while (!strstr(request, "\r\n\r\n"));
    static const char name[] = "\r\nsec-websocket-key:";
    char *key = strcasestr(request, name);
    if (!key) return 0;
    key += strlen(name);
    key += strspn(key, " ");
    char text[100], accept[29], response[256];
    uint8_t digest[20];
    snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    sha1(text, digest);
    base64(digest, accept);
    int length = snprintf(response, sizeof response,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\n\r\n", accept);
    return send_all(client, (uint8_t *)response, (size_t)length);
}

// Sends back each whole frame, without its mask, and keeps the rest. Returns whether to go on.
static int echo(int client, uint8_t *in, size_t *count, uint8_t *out) {
    size_t start = 0, written = 0;
    int goes_on = 1;
    while (goes_on && *count - start >= 6) {
        uint8_t *frame = in + start;
        size_t length = frame[1] & 0x7F, header = 2;
        if (length == 127) return 0;
        if (length == 126) {
            if (*count - start < 8) break;
            length = (size_t)frame[2] << 8 | frame[3], header = 4;
        }
        if (*count - start < header + 4 + length) break;
        uint8_t *mask = frame + header, *payload = mask + 4, opcode = frame[0] & 0xF;
        if (opcode != 10) {
            out[written] = opcode == 9 ? 0x8A : frame[0], out[written + 1] = frame[1] & 0x7F;
            if (header == 4) memcpy(out + written + 2, frame + 2, 2);
            written += header;
            for (size_t i = 0; i < length; i++) out[written + i] = payload[i] ^ mask[i & 3];
            written += length;
        }
        goes_on = opcode != 8;
        start += header + 4 + length;
    }
    memmove(in, in + start, *count - start);
    *count -= start;
    return send_all(client, out, written) && goes_on;
}

static void *serve(void *argument) {
    int client = (int)(intptr_t)argument, one = 1;
    uint8_t *in = malloc(SIZE), *out = malloc(SIZE);
    size_t count = 0;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (in && out && open_socket(client)) {
        ssize_t size;
        while ((size = recv(client, in + count, SIZE - count, 0)) > 0) {
            count += (size_t)size;
            if (!echo(client, in, &count, out)) break;
        }
    }
    close(client);
    free(in);
    free(out);
    return NULL;
}

static void *accept_all(void *argument) {
    int listener = (int)(intptr_t)argument, client;
    while ((client = accept(listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)client)) close(client);
        else pthread_detach(thread);
    }
    return NULL;
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 128)
        || getsockname(listener, (struct sockaddr *)&address, &length)
        || pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener)) {
        perror("bench-echo");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    char rest[64];
    while (read(0, rest, sizeof rest) > 0) {}
    return 0;
}
