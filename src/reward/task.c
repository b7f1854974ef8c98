/* task.c - rewards that need a memory: tasks, and in a product with what remembers for them also
 * those about reaching and avoiding states. */
#include "reward/reward.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- creation */

foray_status fy_reward_create_task(foray_context *ctx, const foray_model *model, const char *name,
                                   const char *formula, const fy_labels *labels, foray_reward **out)
{
    foray_reward *reward;
    foray_status status = foray_reward_create(ctx, model, name, 0, 1, 0, &reward);
    if (status != FORAY_OK)
        return status;
    status = fy_task_create(&reward->arena, model, formula, labels, &reward->task);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

/* The caller's sets, as a model keeps its own. */
static foray_status gather_labels(fy_arena *arena, const foray_model *model, int64_t count,
                                  const foray_label *label, fy_labels *out)
{
    int64_t all = 0;
    for (int64_t i = 0; i < count; i++)
        all += label[i].count;
    if (!FY_NEW(arena, out->name, count) || !FY_NEW(arena, out->start, count + 1) ||
        !FY_NEW(arena, out->state, all))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++, out->count++) {
        out->name[i] = (char *)label[i].name;
        out->start[i + 1] = out->start[i] + label[i].count;
        for (int64_t k = 0; k < label[i].count; k++) {
            if (label[i].state[k] < 0 || label[i].state[k] >= model->states)
                return fy_fail(arena->ctx, FORAY_ERROR_INPUT,
                               "label '%.100s': state %" PRId64 ", but the model has %" PRId64
                               " states",
                               label[i].name, label[i].state[k], model->states);
            out->state[out->start[i] + k] = (int32_t)label[i].state[k];
        }
    }
    return FORAY_OK;
}

foray_status foray_reward_create_task(foray_context *ctx, const foray_model *model,
                                      const char *name, const char *formula, int64_t labels,
                                      const foray_label *label, foray_reward **out)
{
    fy_arena scratch = {.ctx = ctx};
    fy_labels given = {0};
    foray_status status = gather_labels(&scratch, model, labels, label, &given);
    if (status == FORAY_OK)
        status = fy_reward_create_task(ctx, model, name, formula, &given, out);
    fy_arena_release(&scratch);
    return status;
}

/* ----------------------------------------------------------------- in a product */

/* Reaching and avoiding as an automaton: 0 goes on; 1 is won and 2 lost, for good. Where an episode
 * goes on to its end, it is worth what `ending` says. */
enum { GOES_ON, WON, LOST, WAYS };

static foray_status read_stops_as(fy_arena *arena, const foray_reward *reward, fy_task_reader *out)
{
    int32_t *letter, *next;
    if (!FY_NEW(arena, letter, reward->states) || !FY_NEW(arena, next, WAYS * WAYS))
        return FORAY_ERROR_MEMORY;
    double win = reward->minimise ? 0 : 1;
    for (int64_t s = 0; s < reward->states; s++)
        letter[s] = isnan(reward->fixed[s]) ? GOES_ON : reward->fixed[s] == win ? WON : LOST;
    for (int32_t q = 0; q < WAYS; q++)
        for (int32_t a = 0; a < WAYS; a++)
            next[q * WAYS + a] = q == GOES_ON ? a : q;
    *out = (fy_task_reader){WAYS, WAYS, letter, next};
    return FORAY_OK;
}

foray_status fy_reward_reader(fy_arena *arena, const foray_reward *reward, fy_task_reader *out)
{
    if (!reward->task)
        return read_stops_as(arena, reward, out);
    *out = fy_task_as_reader(reward->task);
    return FORAY_OK;
}

/* What an episode that ends in a state of the reader is worth; *decided: it stays so. */
static double worth_of(const foray_reward *reward, int32_t inner, bool *decided)
{
    bool accepted;
    if (reward->task) {
        accepted = reward->task->automaton.accepts[inner];
        *decided = reward->task->automaton.decided[inner];
    } else {
        double win = reward->minimise ? 0 : 1;
        accepted = inner == WON || (inner == GOES_ON && reward->ending == win);
        *decided = inner != GOES_ON;
    }
    return accepted ? 1 : 0;
}

/* In the unit of planning, where 1 is wanted. */
static foray_status stop_where_decided(fy_arena *arena, const foray_reward *reward,
                                       const foray_model *product, int64_t reader,
                                       foray_reward *out)
{
    if (!FY_NEW(arena, out->fixed, product->states) ||
        !FY_NEW(arena, out->endings, product->states))
        return FORAY_ERROR_MEMORY;
    for (int64_t s = 0; s < product->states; s++) {
        bool decided;
        double worth = worth_of(reward, fy_product_inner(product, s, reader), &decided);
        out->endings[s] = reward->minimise ? 1 - worth : worth;
        out->fixed[s] = decided ? out->endings[s] : NAN;
    }
    out->minimise = reward->minimise;
    return FORAY_OK;
}

/* With the last step, in which all that follows from it is known. */
static foray_status pay_at_the_end(foray_context *ctx, const foray_reward *reward,
                                   const foray_model *product, int64_t reader, foray_reward *out)
{
    foray_status status = FORAY_OK;
    bool ignored;
    int64_t begun = fy_begun(product) * product->actions;
    for (int64_t pair = 0; pair < begun && status == FORAY_OK; pair++) {
        int64_t s = pair / product->actions, a = pair % product->actions;
        for (int64_t j = product->succ_start[pair];
             j < product->succ_start[pair + 1] && status == FORAY_OK; j++)
            if (fy_available(product, pair) &&
                worth_of(reward, fy_product_inner(product, product->succ[j], reader), &ignored) > 0)
                status = foray_reward_set_next(ctx, out, product->horizon - 1, s, a,
                                               product->succ[j], 1);
    }
    return status;
}

foray_status fy_reward_in_product(foray_context *ctx, const foray_reward *reward,
                                  const foray_model *product, int64_t reader, bool beside,
                                  foray_reward **out)
{
    foray_reward *made;
    foray_status status = foray_reward_create(ctx, product, reward->name, 0, 1, 0, &made);
    if (status != FORAY_OK)
        return status;
    status = beside ? pay_at_the_end(ctx, reward, product, reader, made)
                    : stop_where_decided(&made->arena, reward, product, reader, made);
    if (status == FORAY_OK && beside)
        status = foray_reward_set_minimise(ctx, made, reward->minimise);
    if (status == FORAY_OK)
        *out = made;
    else
        foray_reward_destroy(made);
    return status;
}
