/*
 * Reads a file to its end and sums its bytes, with one of the C APIs.
 *
 * Arguments: directory (not used), file, its length, "fread", "mmap" or "read", length of the array, time limit of a
 * pass in milliseconds, or 0. Reads the first MiB, then four times as much, until that is the whole file or four times
 * as much again would take too long. Prints: lines of key=value about the last pass.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LENGTH (1024 * 1024)
#define GROWTH 4

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

static void print_used_since(const struct rusage* before)
{
    const struct rusage now = used();
    printf("readCpuUs=%lld\n", cpu_us(&now) - cpu_us(before));
    printf("readMinorFaults=%ld\n", now.ru_minflt - before->ru_minflt);
    printf("readMajorFaults=%ld\n", now.ru_majflt - before->ru_majflt);
    printf(
        "readSwitches=%ld\n",
        now.ru_nvcsw + now.ru_nivcsw - before->ru_nvcsw - before->ru_nivcsw);
}

static long long sum_of(const signed char* bytes, size_t length)
{
    long long sum = 0;
    for (size_t i = 0; i < length; i++)
    {
        sum += bytes[i];
    }
    return sum;
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

static long long by_fread(const char* path, size_t length, signed char* array, size_t array_length)
{
    FILE* const file = fopen(path, "rb");
    if (NULL == file)
    {
        fail("fopen");
    }
    long long sum = 0;
    size_t offset = 0;
    while (offset < length)
    {
        const size_t count = fread(array, 1, at_most(array_length, length - offset), file);
        if (0 == count)
        {
            fail("fread");
        }
        sum += sum_of(array, count);
        offset += count;
    }
    fclose(file);
    return sum;
}

static long long by_mmap(const char* path, size_t length, signed char* array, size_t array_length)
{
    const int file = open(path, O_RDONLY);
    if (file < 0)
    {
        fail("open");
    }
    signed char* const mapped = mmap(NULL, length, PROT_READ, MAP_SHARED, file, 0);
    if (MAP_FAILED == mapped)
    {
        fail("mmap");
    }
    long long sum = 0;
    for (size_t offset = 0; offset < length; offset += array_length)
    {
        const size_t count = at_most(array_length, length - offset);
        memcpy(array, mapped + offset, count);
        sum += sum_of(array, count);
    }
    munmap(mapped, length);
    close(file);
    return sum;
}

static long long by_read(const char* path, size_t length, signed char* array, size_t array_length)
{
    const int file = open(path, O_RDONLY);
    if (file < 0)
    {
        fail("open");
    }
    long long sum = 0;
    size_t offset = 0;
    while (offset < length)
    {
        const ssize_t count = read(file, array, at_most(array_length, length - offset));
        if (count <= 0)
        {
            fail("read");
        }
        sum += sum_of(array, (size_t)count);
        offset += (size_t)count;
    }
    close(file);
    return sum;
}

typedef long long (*way)(const char*, size_t, signed char*, size_t);

static way way_of(const char* name)
{
    return 0 == strcmp(name, "fread") ? by_fread : 0 == strcmp(name, "mmap") ? by_mmap :
        0 == strcmp(name, "read") ? by_read : NULL;
}

int main(int argc, char** argv)
{
    const way read_all = 7 == argc ? way_of(argv[4]) : NULL;
    const size_t whole_length = 7 == argc ? strtoull(argv[3], NULL, 10) : 0;
    const size_t array_length = 7 == argc ? strtoull(argv[5], NULL, 10) : 0;
    if (NULL == read_all || 0 == whole_length || 0 == array_length)
    {
        fprintf(stderr, "arguments: directory, file, length, fread|mmap|read, array length, limit ms\n");
        return 2;
    }

    const long long limit_ns = strtoll(argv[6], NULL, 10) * 1000000LL;
    signed char* const array = malloc(array_length);
    if (NULL == array)
    {
        fail("malloc");
    }
    size_t length = at_most(FIRST_LENGTH, whole_length);
    for (;;)
    {
        const struct rusage before = used();
        const long long start = now_ns();
        const long long sum = read_all(argv[2], length, array, array_length);
        const long long elapsed_ns = now_ns() - start;
        if (length == whole_length || (limit_ns > 0 && elapsed_ns * GROWTH > limit_ns))
        {
            printf("readBytesPerSecond=%f\n", (double)length * 1e9 / (double)elapsed_ns);
            print_used_since(&before);
            printf("bytesCount=%zu\n", length);
            printf("sum=%lld\n", sum);
            printf("isReduced=%s\n", length < whole_length ? "true" : "false");
            if (length == whole_length)
            {
                printf("elapsedNs=%lld\n", elapsed_ns);
            }
            free(array);
            return 0;
        }
        length = limit_ns > 0 ? at_most(length * GROWTH, whole_length) : whole_length;
    }
}
