/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes random seeds, so that clones do not start from the same entropy. A seed is never
 * replaced by a fixed one: that would again be the same in every clone.
 */
#include <string.h>

#include "guest/operations.h"
#include "guest/stores.h"

#define CREDENTIAL_SECRET "/var/lib/systemd/credential.secret"

static const struct gold_store seeds[] = {
    {"/var/lib/systemd/random-seed", "random-seed", GOLD_WARNING, "random seed", NULL},
    {"/var/lib/random-seed", "random-seed", GOLD_WARNING, "random seed", NULL},
    {"/var/lib/urandom/random-seed", "random-seed", GOLD_WARNING, "random seed", NULL},
    {"/var/lib/misc/random-seed", "random-seed", GOLD_WARNING, "random seed", NULL},
    {"/var/lib/seedrng/*", "random-seed", GOLD_WARNING, "random seed", NULL},
    {"/boot/loader/random-seed", "esp-random-seed", GOLD_WARNING,
     "random seed of the boot loader", NULL},
    {"/boot/efi/loader/random-seed", "esp-random-seed", GOLD_WARNING,
     "random seed of the boot loader", NULL},
    {"/efi/loader/random-seed", "esp-random-seed", GOLD_WARNING,
     "random seed of the boot loader", NULL},
};
#define N_SEEDS (sizeof(seeds) / sizeof(seeds[0]))

/* Is there something that only this secret can decrypt? *ret_path: free(). */
static int
find_encrypted(struct gold_scene *sc, char **ret_path, struct gold_error **err)
{
    static const char *const stores[] = {"/etc/credstore.encrypted/*",
                                         "/usr/lib/credstore.encrypted/*",
                                         "/var/lib/credstore.encrypted/*"};
    static const char *const units[] = {"/etc/systemd/system/*.service",
                                        "/etc/systemd/system/*.service.d/*.conf"};
    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (gold_scene_glob(sc, stores[i], &paths, err) < 0)
            return -1;
        if (paths.n > 0)
            return (*ret_path = gold_strdup(paths.items[0], err)) ? 1 : -1;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (gold_scene_glob(sc, units[i], &paths, err) < 0)
            return -1;
        for (size_t k = 0; k < paths.n; k++) {
            GOLD_CLEANUP_FREE char *text = NULL;
            size_t len;
            if (gold_scene_read(sc, paths.items[k], &text, &len, err) < 0)
                return -1;
            if (text && gold_text_mentions(text, "CredentialEncrypted="))
                return (*ret_path = gold_strdup(paths.items[k], err)) ? 1 : -1;
        }
    }
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    int secret = gold_scene_is_file(sc, CREDENTIAL_SECRET, err);
    if (secret != 0)
        return secret;
    return gold_stores_present(sc, seeds, N_SEEDS, "no random seed found", ret_reason, err);
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *needs = NULL;
    if (gold_stores_remove(sc, seeds, N_SEEDS, err) < 0)
        return -1;
    int secret = gold_scene_is_file(sc, CREDENTIAL_SECRET, err);
    if (secret <= 0)
        return secret;
    int needed = find_encrypted(sc, &needs, err);
    if (needed != 0)
        return needed < 0 ? -1 : 0; /* kept: verify reports it */
    return gold_scene_remove(sc, CREDENTIAL_SECRET,
                             "secret for encrypted credentials, of which there are none", err);
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *needs = NULL;
    if (gold_stores_report(sc, seeds, N_SEEDS, err) < 0)
        return -1;
    int secret = gold_scene_is_file(sc, CREDENTIAL_SECRET, err);
    if (secret <= 0)
        return secret;
    int needed = find_encrypted(sc, &needs, err);
    if (needed < 0)
        return -1;
    if (needed)
        return gold_scene_find(
            sc, "credential-secret", GOLD_WARNING, GOLD_FIX_MANUAL, CREDENTIAL_SECRET, 0, needs,
            err,
            "every clone would share the secret for encrypted credentials, and '%s' needs it",
            needs);
    return gold_scene_find(sc, "credential-secret", GOLD_WARNING, GOLD_FIX_SAFE,
                           CREDENTIAL_SECRET, 0, NULL, err,
                           "every clone would share the secret for encrypted credentials");
}

static const char *const finding_ids[] = {"random-seed", "esp-random-seed", "credential-secret",
                                          NULL};

const struct gold_operation gold_operation_random_seed = {
    .about = {.name = "random-seed",
              .heading = "Remove random seeds",
              .description =
                  "Removes the random seeds of systemd, of other init systems and of "
                  "systemd-boot, and the secret\n"
                  "with which systemd encrypts credentials. The guest makes new ones.",
              .notes = "The secret stays when there are encrypted credentials, which nothing "
                       "else could decrypt; that is\n"
                       "reported."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
