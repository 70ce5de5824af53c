// Runs a command COUNT times, one after the other, and writes what its processes used to the file
// REPORT, as one line of JSON.
//
//   bench-launcher REPORT COUNT [--show] COMMAND [ARGUMENT]...
//
// The standard output of the command is /dev/null, or that of this program with --show. This
// program exists because the peak memory that the kernel reports for a child starts with that of
// its parent at the fork: with a small parent the figure is that of the child.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static pid_t start(char **command, int show) {
    pid_t child = fork();
    if (child != 0) {
        return child;
    }
    if (!show) {
        int null = open("/dev/null", O_WRONLY);
        if (null >= 0) {
            dup2(null, STDOUT_FILENO);
        }
    }
    execvp(command[0], command);
    fprintf(stderr, "bench-launcher: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

int main(int count_of_arguments, char **arguments) {
    int show = count_of_arguments > 3 && strcmp(arguments[3], "--show") == 0;
    if (count_of_arguments < 4 + show) {
        fprintf(stderr, "usage: bench-launcher REPORT COUNT [--show] COMMAND [ARGUMENT]...\n");
        return 2;
    }
    long count = strtol(arguments[2], NULL, 10);
    char **command = arguments + 3 + show;
    double user = 0, system = 0;
    long peak = 0, failures = 0, switches = 0;
    double begin = now();
    for (long index = 0; index < count; index++) {
        pid_t child = start(command, show);
        int status = 0;
        struct rusage usage;
        memset(&usage, 0, sizeof usage);
        if (child < 0 || wait4(child, &status, 0, &usage) != child) {
            perror("bench-launcher");
            return 1;
        }
        failures += !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        user += seconds(usage.ru_utime);
        system += seconds(usage.ru_stime);
        switches += usage.ru_nvcsw;
        peak = usage.ru_maxrss > peak ? usage.ru_maxrss : peak;
    }
    double wall = now() - begin;
    FILE *report = fopen(arguments[1], "w");
    if (report == NULL) {
        perror(arguments[1]);
        return 1;
    }
    fprintf(
        report,
        "{\"count\":%ld,\"errors\":%ld,\"wallSeconds\":%.6f,\"userSeconds\":%.6f,\"systemSeconds\":%.6f,"
        "\"contextSwitches\":%ld,\"peakBytes\":%ld}\n",
        count, failures, wall, user, system, switches, peak * 1024
    );
    return fclose(report) == 0 && failures == 0 ? 0 : 1;
}
