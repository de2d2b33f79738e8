/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names on which host, starter and agent agree. Nothing but macros: the agent, which links with
 * nothing of the library, includes it too.
 */
#ifndef GOLD_VALIDATE_NAMES_H
#define GOLD_VALIDATE_NAMES_H

#define GOLD_CHANNEL_NAME   "org.goldsmith.0"
#define GOLD_PAYLOAD_SERIAL "GSPAYLOAD"
#define GOLD_PAYLOAD_LABEL  "GSPAYLOAD" /* of the file system on the payload disk */
#define GOLD_CONTROL_SERIAL "GSCONTROL"
#define GOLD_LIMIT_SERIAL   "GSLIMIT" /* followed by the disk's index in the definition */

#define GOLD_AGENT_PROGRAM "goldsmith-agent" /* in the libexec directory of the host */
#define GOLD_AGENT_NAME    "agent"           /* on the payload disk */
#define GOLD_AGENT_PLAN    "plan"            /* on the payload disk */
#define GOLD_AGENT_MOUNT   "/run/goldsmith"  /* where the starter mounts the payload disk */
#define GOLD_AGENT_RUN     "/run/goldsmith-agent" /* lock and marks of the agent in the guest */

#endif
