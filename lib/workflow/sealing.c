/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workflow/sealing.h"

int
gold_seal_workset(struct gold_context *ctx, const struct gold_workset *ws,
                  const struct gold_sealing *how, struct gold_guest_outcome *ret,
                  struct gold_error **err)
{
    GOLD_CLEANUP_FREE struct gold_session_disk *disks = NULL;

    if (gold_target_session_disks(ws, false, &disks, err) < 0)
        return -1;
    const struct gold_guest_job job = {
        .disks = disks,
        .n_disks = gold_workset_count(ws),
        .root = how->root,
        .check = how->check,
        .seal = true,
        .operations = how->operations,
        .machine_id = how->machine_id,
        .trim = !how->zero_free,
        .zero_free = how->zero_free,
    };
    return gold_guest_work(ctx, &job, ret, err);
}

int
gold_put_in_place(struct gold_workset *ws, const struct gold_target *t,
                  const struct gold_output *output, const struct gold_definition_edit *edit,
                  struct gold_error **err)
{
    if (output)
        return gold_output_write(ws, output, t->definition ? edit : NULL, err);
    if (ws && gold_workset_commit(ws, err) < 0)
        return -1;
    gold_stop_point("place.images");
    if (t->definition && gold_definition_edit_write(t->definition, edit, err) < 0) {
        if (ws)
            gold_error_prefix(err, "the images are sealed, but the definition is not changed");
        return -1;
    }
    return 0;
}
