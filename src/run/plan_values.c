/* plan_values.c - what plans of a run are worth: the value of the policy with its interval, and
 * which bound gave the certificate. Runs of earlier versions have no such rows; in `meta`,
 * values_from is the first plan that has one, and all later plans do. */
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

foray_status fy_plan_values_from(foray_run *run, int64_t *out)
{
    int64_t rows = 0;
    char *text;
    *out = INT64_MAX;
    foray_status status =
        fy_store_number(run->store, "SELECT count(*) FROM meta WHERE name = 'values_from'", &rows);
    if (status != FORAY_OK || rows == 0)
        return status;
    status = fy_store_get_meta(run->store, "values_from", &text);
    if (status != FORAY_OK)
        return status;
    bool whole = foray_whole_read(text, out) && *out >= 0;
    free(text);
    return whole ? FORAY_OK
                 : fy_store_damaged(run->store, "it does not say which plans have values");
}

foray_status fy_plan_values_begin(foray_run *run, int64_t first)
{
    char number[32];
    int64_t from;
    foray_status status = fy_plan_values_from(run, &from);
    if (status != FORAY_OK || from < INT64_MAX)
        return status;
    status = fy_store_make_plan_values(run->store);
    fy_format(number, sizeof number, "%" PRId64, first);
    return status == FORAY_OK ? fy_store_put_meta(run->store, "values_from", number) : status;
}

foray_status fy_plan_values_put(foray_run *run, int64_t id, const foray_policy *policy)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "values of plans",
                   "INSERT INTO plan_value(id, expected, low, high, bound, crc)"
                   " VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
    fy_row_put_int(&row, id);
    fy_row_put_real(&row, policy->expected);
    fy_row_put_real(&row, policy->low);
    fy_row_put_real(&row, policy->high);
    fy_row_put_int(&row, policy->certificate.bound);
    return fy_row_insert(&row);
}

/* Checksums find damage, not lies. */
static bool is_possible(const foray_policy *policy, int64_t bound)
{
    return bound >= FORAY_BOUND_NONE && bound <= FORAY_BOUND_EXACT && !isinf(policy->expected) &&
           !isinf(policy->low) && !isinf(policy->high) && !(policy->low > policy->high);
}

foray_status fy_plan_values_get(foray_run *run, int64_t from, int64_t id, foray_policy *policy)
{
    policy->expected = policy->low = policy->high = NAN;
    policy->certificate.bound = FORAY_BOUND_NONE;
    if (id < from)
        return FORAY_OK;
    fy_row row;
    fy_row_prepare(&row, run->store, "values of plans",
                   "SELECT id, expected, low, high, bound, crc FROM plan_value WHERE id = ?1");
    fy_row_bind_int(&row, 1, id);
    bool found = fy_row_next(&row), possible = true;
    if (found) {
        (void)fy_row_int(&row);
        policy->expected = fy_row_real(&row);
        policy->low = fy_row_real(&row);
        policy->high = fy_row_real(&row);
        int64_t bound = fy_row_int(&row);
        possible = !fy_row_intact(&row) || is_possible(policy, bound);
        if (possible)
            policy->certificate.bound = (foray_bound)bound;
    }
    foray_status status = fy_row_end(&row);
    if (status != FORAY_OK)
        return status;
    if (!found)
        return fy_store_damaged(run->store, "the value of plan %" PRId64 " is missing", id);
    return possible
               ? FORAY_OK
               : fy_store_damaged(run->store, "plan %" PRId64 " contains impossible values", id);
}
