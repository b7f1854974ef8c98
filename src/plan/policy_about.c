/* policy_about.c - what a policy says beside its actions, so that it can be used by itself. */
#include "plan/policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ creation */

foray_policy_about *fy_policy_about(foray_context *ctx, foray_policy *policy)
{
    if (!policy->about && FY_ALLOC(ctx, policy->about, 1))
        *policy->about = (foray_policy_about){.episodes = -1, .seed = -1};
    return policy->about;
}

static void free_names(char **name, int64_t count)
{
    for (int64_t i = 0; name && i < count; i++)
        free(name[i]);
    free(name);
}

static void free_doubt(foray_policy_about *about)
{
    for (int64_t i = 0; i < about->laws; i++)
        free(about->law[i].name);
    free(about->law);
    free(about->place);
    about->law = NULL;
    about->place = NULL;
    about->laws = about->places = 0;
}

void fy_policy_clusters_destroy(foray_policy_clusters *clusters)
{
    if (!clusters)
        return;
    free(clusters->low);
    free(clusters->high);
    free(clusters->cells);
    free(clusters->centre);
    free(clusters);
}

void fy_policy_about_destroy(foray_policy *policy)
{
    foray_policy_about *about = policy->about;
    if (!about)
        return;
    free(about->reward);
    free_names(about->state_name, policy->states);
    free_names(about->action_name, policy->actions);
    fy_policy_clusters_destroy(about->clusters);
    free_doubt(about);
    free(about->world);
    free(about->algorithm);
    free(about->version);
    free(about->model);
    free(about);
    policy->about = NULL;
}

/* -------------------------------------------------------------------- telling */

foray_status fy_policy_tell(foray_context *ctx, char **text, const char *value)
{
    char *copy = value ? fy_text(ctx, value) : NULL;
    if (value && !copy)
        return FORAY_ERROR_MEMORY;
    free(*text);
    *text = copy;
    return FORAY_OK;
}

static foray_status copy_names(foray_context *ctx, char *const *name, int64_t count, char ***out)
{
    char **copy;
    if (!name)
        return FORAY_OK;
    if (!FY_ALLOC(ctx, copy, count))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = fy_policy_tell(ctx, &copy[i], name[i]);
    if (status != FORAY_OK) {
        free_names(copy, count);
        return status;
    }
    free_names(*out, count);
    *out = copy;
    return FORAY_OK;
}

/* The text that foray_reward_print gives ends with a newline, which a member has no use for. */
static foray_status keep_reward(foray_context *ctx, const foray_reward *reward,
                                foray_policy_about *about)
{
    char *text;
    size_t size;
    if (!reward)
        return FORAY_OK;
    foray_status status = foray_reward_print(ctx, reward, &text, &size);
    if (status != FORAY_OK)
        return status;
    while (size > 0 && text[size - 1] == '\n')
        text[--size] = 0;
    free(about->reward);
    about->reward = text;
    return FORAY_OK;
}

foray_status foray_policy_complete(foray_context *ctx, foray_policy *policy,
                                   const foray_model *model, const foray_reward *reward)
{
    foray_status status = fy_policy_check(ctx, policy, model);
    if (status != FORAY_OK)
        return status;
    foray_policy_about *about = fy_policy_about(ctx, policy);
    if (!about)
        return FORAY_ERROR_MEMORY;
    status = keep_reward(ctx, reward, about);
    if (status == FORAY_OK)
        status = copy_names(ctx, model->state_names, model->states, &about->state_name);
    if (status == FORAY_OK)
        status = copy_names(ctx, model->action_names, model->actions, &about->action_name);
    if (status == FORAY_OK)
        status = fy_policy_tell(ctx, &about->model, foray_model_name(model));
    if (status == FORAY_OK)
        status = fy_policy_tell(ctx, &about->version, FORAY_VERSION);
    return status;
}

/* ---------------------------------------------------------------------- doubt */

void foray_doubt_law_name(const foray_doubt_law *law, char *text, size_t size)
{
    if (law->state < 0)
        fy_format(text, size, "first state");
    else if (law->block < 0)
        fy_format(text, size, "(s=%" PRId64 ", a=%" PRId64 ")", law->state, law->action);
    else
        fy_format(text, size, "%" PRId64 ": (s=%" PRId64 ", a=%" PRId64 ") of %" PRId64, law->block,
                  law->state, law->action, law->pairs);
}

static foray_status keep_laws(foray_context *ctx, foray_policy_about *about,
                              const foray_doubt *doubt, int64_t count)
{
    char name[96];
    if (!FY_ALLOC(ctx, about->law, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        const foray_doubt_law *law = &doubt->law[i];
        foray_doubt_law_name(law, name, sizeof name);
        about->law[i] =
            (foray_policy_law){.visits = law->visits, .share = law->share, .more = law->more};
        if (fy_policy_tell(ctx, &about->law[i].name, name) != FORAY_OK)
            return FORAY_ERROR_MEMORY;
        about->laws++;
    }
    return FORAY_OK;
}

foray_status foray_policy_keep_doubt(foray_context *ctx, foray_policy *policy,
                                     const foray_doubt *doubt, int64_t most)
{
    foray_policy_about *about = fy_policy_about(ctx, policy);
    if (!about)
        return FORAY_ERROR_MEMORY;
    int64_t places = doubt->places < most ? doubt->places : most;
    free_doubt(about);
    if (!FY_ALLOC(ctx, about->place, places))
        return FORAY_ERROR_MEMORY;
    about->places = places;
    memcpy(about->place, doubt->place, (size_t)places * sizeof *about->place);
    return keep_laws(ctx, about, doubt, doubt->laws < most ? doubt->laws : most);
}
