/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One call per command. Each takes its sources and options and returns a document: an error that
 * concerns one source stands in that source's entry and does not stop the others, so -1 means that
 * nothing could be done at all (bad options, out of memory). *ret_doc: gold_document_free().
 * Option structs are zero-initialised: zero is the default of every member. Strings are borrowed.
 */
#ifndef GOLDSMITH_WORKFLOW_H
#define GOLDSMITH_WORKFLOW_H

#include <goldsmith/context.h>
#include <goldsmith/result.h>

enum gold_images { GOLD_IMAGES_AUTO, GOLD_IMAGES_NO, GOLD_IMAGES_REQUIRE };
enum gold_machine_id { GOLD_MACHINE_ID_AUTO, GOLD_MACHINE_ID_EMPTY, GOLD_MACHINE_ID_UNINITIALIZED, GOLD_MACHINE_ID_KEEP };
enum gold_commit_when { GOLD_COMMIT_PASS, GOLD_COMMIT_ALWAYS };
enum gold_keep { GOLD_KEEP_NEVER, GOLD_KEEP_ONFAILURE, GOLD_KEEP_ALWAYS };

/* How images are opened. */
struct gold_image_options {
    const char *format;      /* NULL: the definition's type, else what the header says; "raw", "qcow2", ... */
    bool allow_backing;      /* follow a backing file that the image itself names */
    enum gold_images images; /* does a definition bring its images along? */
    const char *root;        /* which root of a multi-boot image: a device, or NULL: there must be one */
};

struct gold_inspect_options {
    struct gold_image_options image;
};
GOLD_API GOLD_MUST_CHECK int gold_inspect(struct gold_context *ctx, const char *const *sources, size_t n_sources,
                                          const struct gold_inspect_options *opts, struct gold_document **ret_doc,
                                          struct gold_error **err);

struct gold_check_options {
    struct gold_image_options image;
    bool has_fail_on;
    enum gold_severity fail_on; /* default: error */
};
GOLD_API GOLD_MUST_CHECK int gold_check(struct gold_context *ctx, const char *const *sources, size_t n_sources,
                                        const struct gold_check_options *opts, struct gold_document **ret_doc,
                                        struct gold_error **err);

struct gold_seal_options {
    struct gold_image_options image;
    const char *operations; /* "default,-x,y"; NULL: default */
    enum gold_machine_id machine_id;
    bool dry_run;
    bool zero_free;     /* fill free space with zeroes where trimming does not work */
    const char *output; /* write here, the source is only read; NULL: in place */
};
GOLD_API GOLD_MUST_CHECK int gold_seal(struct gold_context *ctx, const char *const *sources, size_t n_sources,
                                       const struct gold_seal_options *opts, struct gold_document **ret_doc,
                                       struct gold_error **err);

/* One `name=value` of an iotune edit: name as libvirt writes it ("read_iops_sec") or with hyphens. */
struct gold_setting {
    const char *name;
    const char *value;
};
struct gold_iotune_options {
    const char *disk; /* target, file name, "boot" or "all" */
    const struct gold_setting *settings;
    size_t n_settings;
    bool clear;
    bool explain;
    bool dry_run;
    const char *output; /* "-": the edited definition is returned in ret_text of the edit's diff place */
};
/* For output "-" the edited bytes are returned in *ret_text (free()), else *ret_text is NULL. */
GOLD_API GOLD_MUST_CHECK int gold_iotune(struct gold_context *ctx, const char *source,
                                         const struct gold_iotune_options *opts, struct gold_document **ret_doc,
                                         char **ret_text, struct gold_error **err);

struct gold_validate_options {
    struct gold_image_options image;
    const char *template_file;    /* NULL: the default payloads */
    const char *const *only;      /* NULL-terminated names of payloads, or NULL */
    unsigned clones;              /* 0: the template file's, else 2 */
    const char *uri;              /* libvirt; NULL: the embedded hypervisor */
    enum gold_keep keep;
};
GOLD_API GOLD_MUST_CHECK int gold_validate(struct gold_context *ctx, const char *source,
                                           const struct gold_validate_options *opts, struct gold_document **ret_doc,
                                           struct gold_error **err);

struct gold_prepare_options {
    struct gold_image_options image;
    const char *template_file; /* required */
    enum gold_commit_when commit;
    bool dry_run; /* no boots, nothing written */
    bool zero_free;
    const char *output; /* directory: sealed images and the edited definition; NULL: in place */
    const char *uri;
    enum gold_keep keep;
};
GOLD_API GOLD_MUST_CHECK int gold_prepare(struct gold_context *ctx, const char *source,
                                          const struct gold_prepare_options *opts, struct gold_document **ret_doc,
                                          struct gold_error **err);

#endif
