/* policy_reading.h - a policy file while it is being read. */
#ifndef FY_POLICY_READING_H
#define FY_POLICY_READING_H

#include "base/document.h"
#include "plan/policy.h"
#include "plan/policy_text.h"

/* What is being read, and where in it something is wrong. */
typedef struct fy_policy_reading {
    foray_context *ctx;
    const fy_policy_text *text;
    fy_json root;
    fy_json culprit; /* the value looked at last */
    int64_t line;    /* instead of a value; 0: none */
    foray_policy *policy;
} fy_policy_reading;

/* A policy from a text that was taken to pieces; one of more than `most` actions is too large. */
foray_status fy_policy_read(foray_context *ctx, const fy_policy_text *text, const char *where,
                            int64_t most, foray_policy **out);

/* A member, which is to blame if what follows fails. */
fy_json fy_policy_member(fy_policy_reading *r, fy_json object, const char *key);
/* A number from `least`, or null: `otherwise`. */
foray_status fy_policy_read_real(fy_policy_reading *r, fy_json object, const char *key,
                                 double least, double otherwise, double *out);
foray_status fy_policy_read_flag(fy_policy_reading *r, fy_json object, const char *key, bool *out);
foray_status fy_policy_read_choice(fy_policy_reading *r, fy_json object, const char *key,
                                   const char *const *choices, int *out);
foray_status fy_policy_read_whole(fy_policy_reading *r, fy_json object, const char *key,
                                  int64_t least, int64_t most, int64_t *out);
/* A text; missing: *out stays as it was. */
foray_status fy_policy_read_text(fy_policy_reading *r, fy_json object, const char *key, char **out);
/* The list of a key; missing: absent. */
foray_status fy_policy_open_list(fy_policy_reading *r, fy_json object, const char *key,
                                 fy_json *out);
/* Everything beside values and certificate. */
foray_status fy_policy_read_about(fy_policy_reading *r);

#endif
