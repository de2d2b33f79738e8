/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lint of the table: names, headings, ids, order, and that every file is in it. */
#include "unit.h"

#include <dirent.h>

#include "core/table.h"
#include "core/vec.h"
#include "core/str.h"
#include "guest/operation.h"

static void
abouts_are_well_formed(void **state)
{
    (void)state;
    const struct gold_about *abouts[64];
    size_t n = 0;
    struct gold_error *err = NULL;
    for (; gold_operations[n]; n++)
        abouts[n] = &gold_operations[n]->about;
    assert_true(n > 0 && n <= 64);
    if (gold_about_lint(abouts, n, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
members_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; gold_operations[i]; i++) {
        const struct gold_operation *op = gold_operations[i];
        assert_non_null(op->applies);
        assert_non_null(op->run);
        assert_non_null(op->verify);
        assert_non_null(op->finding_ids);
        assert_non_null(op->finding_ids[0]);
    }
}

static bool
is_kebab(const char *s)
{
    if (!*s || *s == '-')
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') ||
              (*s == '-' && s[1] != '-' && s[1] != '\0')))
            return false;
    return true;
}

static void
finding_ids_are_unique_words(void **state)
{
    (void)state;
    GOLD_CLEANUP_STRV struct gold_strv seen = {0};
    assert_false(is_kebab("a--b"));
    assert_false(is_kebab("a-"));
    assert_false(is_kebab("A"));
    for (size_t i = 0; gold_operations[i]; i++)
        for (const char *const *id = gold_operations[i]->finding_ids; *id; id++) {
            if (!is_kebab(*id) || gold_strv_contains(&seen, *id))
                fail_msg("finding id '%s'", *id);
            assert_int_equal(gold_strv_add(&seen, *id, NULL), 0);
        }
}

/* The name of the file that an operation must be in. */
static void
file_name(const char *name, char ret[128])
{
    size_t n = strlen(name);
    assert_true(n < 100);
    for (size_t i = 0; i < n; i++)
        ret[i] = name[i] == '-' ? '_' : name[i];
    strcpy(ret + n, ".c");
}

static void
every_file_is_in_the_table(void **state)
{
    (void)state;
    GOLD_CLEANUP_STRV struct gold_strv files = {0};
    DIR *dir = opendir(GOLD_TEST_DATA "/../../lib/guest/operations");
    if (!dir) {
        print_message("skipped: the sources are not beside the tests\n");
        skip();
    }
    for (struct dirent *e; (e = readdir(dir));)
        if (gold_str_has_suffix(e->d_name, ".c"))
            assert_int_equal(gold_strv_add(&files, e->d_name, NULL), 0);
    closedir(dir);
    size_t n = 0;
    for (; gold_operations[n]; n++) {
        char file[128];
        file_name(gold_operations[n]->about.name, file);
        if (!gold_strv_contains(&files, file))
            fail_msg("operation '%s' is not in '%s'", gold_operations[n]->about.name, file);
    }
    assert_int_equal(files.n, n);
}

static void
identity_comes_last(void **state)
{
    (void)state;
    size_t n = 0;
    while (gold_operations[n])
        n++;
    assert_string_equal(gold_operations[n - 1]->about.name, "machine-id");
    assert_string_equal(gold_operations[n - 2]->about.name, "dbus-machine-id");
    assert_string_equal(gold_operations[0]->about.name, "journal");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abouts_are_well_formed),
        cmocka_unit_test(members_are_complete),
        cmocka_unit_test(finding_ids_are_unique_words),
        cmocka_unit_test(every_file_is_in_the_table),
        cmocka_unit_test(identity_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
