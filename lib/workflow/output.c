/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workflow/output.h"

#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/replace.h"

/* QEMU reads streamOptimized VMDK but writes other subformats only, which vmdk's default is;
 * all others keep theirs. */
static enum gold_image_format
format_by_name(const char *path, enum gold_image_format own)
{
    static const struct {
        const char *suffix;
        enum gold_image_format format;
    } suffixes[] = {
        {".qcow2", GOLD_IMAGE_QCOW2}, {".raw", GOLD_IMAGE_RAW}, {".img", GOLD_IMAGE_RAW},
        {".vmdk", GOLD_IMAGE_VMDK},   {".vdi", GOLD_IMAGE_VDI}, {".vhdx", GOLD_IMAGE_VHDX},
    };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (gold_str_has_suffix(path, suffixes[i].suffix))
            return suffixes[i].format;
    return own;
}

static bool
is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
refuse_existing(const char *path, struct gold_error **err)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return 0;
    gold_error_set(err, GOLD_ERROR_USAGE, "'%s' exists already", path);
    gold_error_hint(err, "name a file that does not exist: -o never overwrites");
    return -1;
}

static int
plan_image(struct gold_output *o, const char *path, enum gold_image_format format,
           struct gold_error **err)
{
    if (gold_strv_contains(&o->images, path)) {
        gold_error_set(err, GOLD_ERROR_USAGE, "two images would both be written to '%s'", path);
        return -1;
    }
    if (refuse_existing(path, err) < 0 || gold_strv_add(&o->images, path, err) < 0)
        return -1;
    o->formats[o->images.n - 1] = format;
    return 0;
}

/* The directory in absolute form: the new definition names the images by absolute path. */
static char *
output_directory(const char *output, struct gold_error **err)
{
    if (mkdir(output, 0777) < 0 && errno != EEXIST) {
        gold_error_set_errno(err, errno, "cannot make the directory '%s'", output);
        return NULL;
    }
    if (!is_directory(output)) {
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "'%s' is not a directory; a definition and its images need one", output);
        return NULL;
    }
    char *real = realpath(output, NULL);
    if (!real)
        gold_error_set_errno(err, errno, "cannot resolve '%s'", output);
    return real;
}

int
gold_output_plan(const struct gold_target *t, const char *output, struct gold_output *ret,
                 struct gold_error **err)
{
    GOLD_CLEANUP_OUTPUT struct gold_output o = {0};

    o.formats = calloc(t->n_images ? t->n_images : 1, sizeof(*o.formats));
    if (!o.formats)
        return gold_error_set_nomem(err);
    if (!t->definition && !is_directory(output)) {
        if (plan_image(&o, output, format_by_name(output, GOLD_IMAGE_UNKNOWN), err) < 0)
            return -1;
    } else {
        GOLD_CLEANUP_FREE char *dir = output_directory(output, err);
        if (!dir)
            return -1;
        for (size_t i = 0; i < t->n_images; i++) {
            GOLD_CLEANUP_FREE char *path =
                gold_path_join(dir, gold_path_basename(t->paths.items[i]), err);
            if (!path || plan_image(&o, path, GOLD_IMAGE_UNKNOWN, err) < 0)
                return -1;
        }
        if (t->definition) {
            o.definition = gold_path_join(dir, gold_path_basename(t->definition->path), err);
            if (!o.definition || refuse_existing(o.definition, err) < 0)
                return -1;
        }
    }
    *ret = o;
    o = (struct gold_output){0};
    return 0;
}

int
gold_output_redirect(const struct gold_target *t, const struct gold_output *o,
                     struct gold_definition_edit *edit, struct gold_error **err)
{
    for (size_t i = 0; t->definition && i < t->n_images; i++)
        if (gold_domain_set_source(t->definition, t->disks[i], o->images.items[i], &edit->patch,
                                   err) < 0)
            return -1;
    return 0;
}

int
gold_output_write(struct gold_workset *ws, const struct gold_output *o,
                  const struct gold_definition_edit *edit, struct gold_error **err)
{
    size_t done = 0;
    for (; done < o->images.n; done++) {
        enum gold_image_format own = gold_workset_facts(ws, done)->format;
        enum gold_image_format format =
            o->formats[done] == GOLD_IMAGE_UNKNOWN ? own : o->formats[done];
        if (gold_workset_export(ws, done, o->images.items[done], format, err) < 0)
            break;
    }
    if (done == o->images.n &&
        (!o->definition || gold_replace_file(o->definition, edit->text, edit->len,
                                             GOLD_REPLACE_NO_CLOBBER, 0600, err) == 0))
        return 0;
    for (size_t i = 0; i < done; i++)
        (void)unlink(o->images.items[i]);
    return -1;
}

void
gold_output_done(struct gold_output *o)
{
    gold_strv_done(&o->images);
    free(o->formats);
    free(o->definition);
    *o = (struct gold_output){0};
}
