/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target without a fuzzing engine: over every file of its corpus, and over a fixed
 * number of mutations of each, made from a fixed seed, so that it is an ordinary, repeatable
 * test.
 *
 * usage: fuzz_X [-runs=N] [-seed=N] FILE|DIRECTORY...
 */
#include "driver.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"
#include "core/io.h"
#include "core/number.h"
#include "core/str.h"

#define INPUT_MAX (1024 * 1024)

static uint64_t seed = 1, runs = 0, inputs = 0;

static size_t
draw(size_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return n > 0 ? (size_t)(seed % n) : 0;
}

/* One small change: a flipped, removed, doubled or foreign piece. */
static size_t
mutate(uint8_t *data, size_t size, size_t cap)
{
    static const char *const words[] = {
        "<",    ">",         "/>",        "</",        "<!--",
        "-->",  "<![CDATA[", "]]>",       "<?",        "?>",
        "'",    "\"",        "&",         "\r\n",      "\0",
        "\xFF", "<iotune>",  "</iotune>", "xmlns='x'", "<!DOCTYPE a [<!ENTITY b 'c'>]>"};
    size_t at = draw(size + 1), n = draw(16) + 1;
    const char *word = words[draw(sizeof(words) / sizeof(words[0]))];
    size_t word_len = *word ? strlen(word) : 1;

    if (n > size - at)
        n = size - at;
    switch (draw(4)) {
    case 0:
        if (at < size)
            data[at] = (uint8_t)(data[at] ^ (1u << draw(8)));
        return size;
    case 1:
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    case 2:
        if (size + n > cap)
            return size;
        memmove(data + at + n, data + at, size - at);
        return size + n;
    default:
        if (size + word_len > cap)
            return size;
        memmove(data + at + word_len, data + at, size - at);
        memcpy(data + at, word, word_len);
        return size + word_len;
    }
}

static int
run_file(const char *path)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;

    if (gold_read_file(path, INPUT_MAX, &text, &len, &err) < 0) {
        fprintf(stderr, "%s\n", gold_error_message(err));
        return -1;
    }
    for (uint64_t i = 0; i <= runs; i++) {
        /* Exactly as long as the input, so that the sanitizer sees a read past its end. */
        GOLD_CLEANUP_FREE uint8_t *data = malloc(len + 4096);
        if (!data)
            return -1;
        memcpy(data, text, len);
        size_t size = len;
        for (size_t k = 0; i > 0 && k <= draw(4); k++)
            size = mutate(data, size, len + 4096);
        uint8_t *exact = realloc(data, size > 0 ? size : 1);
        if (exact)
            data = exact;
        (void)LLVMFuzzerTestOneInput(data, size);
        inputs++;
    }
    return 0;
}

static int
run_path(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        perror(path);
        return -1;
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    struct dirent **names = NULL;
    int n = scandir(path, &names, NULL, alphasort), r = n < 0 ? -1 : 0;
    for (int i = 0; i < n; i++) {
        GOLD_CLEANUP_FREE char *inner = gold_format(NULL, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && (!inner || run_path(inner) < 0))
            r = -1;
        free(names[i]);
    }
    free(names);
    return r;
}

int
main(int argc, char **argv)
{
    int r = 0;

    for (int i = 1; i < argc; i++) {
        bool bad = false;
        if (gold_str_has_prefix(argv[i], "-runs="))
            bad = gold_parse_u64(argv[i] + 6, &runs, NULL) < 0;
        else if (gold_str_has_prefix(argv[i], "-seed="))
            bad = gold_parse_u64(argv[i] + 6, &seed, NULL) < 0 || seed == 0;
        else if (run_path(argv[i]) < 0)
            r = 1;
        if (bad) {
            fprintf(stderr, "%s: not a number\n", argv[i]);
            return 2;
        }
    }
    printf("%llu inputs\n", (unsigned long long)inputs);
    return inputs > 0 ? r : 1;
}
