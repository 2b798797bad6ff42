/*
 * The cost of durability without a journal: one thread overwrites a preallocated file record by record, each with a
 * positional write and an fdatasync.
 *
 * Arguments: directory, record length, file length, milliseconds of warm-up, milliseconds to measure.
 * Prints: lines of key=value.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#define fdatasync fsync
#endif

#define FILL_LENGTH (16 * 1024)
#define MAX_RECORD_LENGTH (16 * 1024 * 1024)
#define MAX_LATENCIES (1 << 20)

static void fail(const char* what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void write_all(int file, const char* bytes, size_t length, off_t offset)
{
    size_t done = 0;
    while (done < length)
    {
        const ssize_t written = pwrite(file, bytes + done, length - done, offset + (off_t)done);
        if (written < 0)
        {
            fail("pwrite");
        }
        done += (size_t)written;
    }
}

static struct rusage used(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
    {
        fail("getrusage");
    }
    return usage;
}

static long long cpu_us(const struct rusage* usage)
{
    return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000LL + usage->ru_utime.tv_usec +
        usage->ru_stime.tv_usec;
}

static int compare(const void* a, const void* b)
{
    const long long x = *(const long long*)a;
    const long long y = *(const long long*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv)
{
    if (argc != 6)
    {
        fprintf(stderr, "arguments: directory, record length, file length, warm-up ms, counted ms\n");
        return 2;
    }

    const size_t record_length = strtoul(argv[2], NULL, 10);
    const off_t file_length = strtoll(argv[3], NULL, 10);
    const long long warm_up_ns = strtoll(argv[4], NULL, 10) * 1000000LL;
    const long long counted_ns = strtoll(argv[5], NULL, 10) * 1000000LL;
    if (record_length < 1 || record_length > MAX_RECORD_LENGTH || file_length < (off_t)record_length)
    {
        fprintf(stderr, "lengths out of range\n");
        return 2;
    }

    char path[4096];
    snprintf(path, sizeof(path), "%s/overwritten", argv[1]);
    const int file = open(path, O_CREAT | O_RDWR, 0600);
    if (file < 0)
    {
        fail("open");
    }

    static char zeros[FILL_LENGTH];
    for (off_t offset = 0; offset < file_length; offset += FILL_LENGTH)
    {
        const off_t left = file_length - offset;
        write_all(file, zeros, left < FILL_LENGTH ? (size_t)left : FILL_LENGTH, offset);
    }
    if (fsync(file) != 0)
    {
        fail("fsync");
    }

    char* record = malloc(record_length);
    long long* latencies = malloc(MAX_LATENCIES * sizeof(long long));
    if (record == NULL || latencies == NULL)
    {
        fail("malloc");
    }

    const long long start = now_ns();
    const long long counted_start = start + warm_up_ns;
    struct rusage before_counted = used();
    long long first_counted = 0;
    long long count = 0;
    long long now = start;
    off_t offset = 0;
    while (first_counted == 0 || now < first_counted + counted_ns)
    {
        if (offset + (off_t)record_length > file_length)
        {
            offset = 0;
        }
        memset(record, 1 + (int)(count & 63), record_length);
        write_all(file, record, record_length, offset);
        if (fdatasync(file) != 0)
        {
            fail("fdatasync");
        }
        offset += (off_t)record_length;

        const long long before = now;
        now = now_ns();
        if (first_counted != 0)
        {
            if (count < MAX_LATENCIES)
            {
                latencies[count] = now - before;
            }
            count++;
        }
        else if (now >= counted_start)
        {
            before_counted = used();
            first_counted = now;
        }
    }

    const struct rusage after = used();
    const long long kept = count < MAX_LATENCIES ? count : MAX_LATENCIES;
    qsort(latencies, (size_t)kept, sizeof(long long), compare);
    printf("recordsPerSecond=%.1f\n", (double)count * 1e9 / (double)(now - first_counted));
    printf("CpuUs=%lld\n", cpu_us(&after) - cpu_us(&before_counted));
    printf("MinorFaults=%ld\n", after.ru_minflt - before_counted.ru_minflt);
    printf("MajorFaults=%ld\n", after.ru_majflt - before_counted.ru_majflt);
    printf(
        "Switches=%ld\n",
        after.ru_nvcsw + after.ru_nivcsw - before_counted.ru_nvcsw - before_counted.ru_nivcsw);
    printf("p50Us=%.1f\n", (double)latencies[kept / 2] / 1e3);
    printf("p99Us=%.1f\n", (double)latencies[kept - 1 - kept / 100] / 1e3);
    printf("maxUs=%.1f\n", (double)latencies[kept - 1] / 1e3);
    printf("bytes=%lld\n", (long long)file_length);
    return 0;
}
