/* euler.c - EULER: exploring for one given reward, with bonuses that know the variance.
 *
 * Zanette, Brunskill (2019), "Tighter problem-dependent regret bounds in reinforcement
 * learning without domain knowledge using value function bounds":
 *
 *   for every episode
 *     upper values by backward induction with the bonus
 *       phi(p^, V_up) + (4J + B_p)/n + B_v ||V_up - V_low||_{2,p^} / sqrt(n)
 *     and lower values along the greedy policy with the same for V_low
 *     act greedily in the upper values, count
 *
 * where phi, J, B_p, B_v come from any concentration inequality of a certain form. For
 * Bernstein's the paper has phi(p,V) = sqrt(2 Var_p(V) L/n) + H L/(3n), J = HL/3, B_v = sqrt(2L)
 * and leaves B_p and the L that covers all counts to its appendix. Here the inequality is
 * the empirical Bernstein inequality (Maurer, Pontil 2009), which holds as it stands: see
 * euler.h. On an event of probability 1 - delta, V_low <= V* <= V_up at every step and
 * state, after every episode.
 *
 * Deviations:
 *   - 7/3 C w covers phi's second term and (4J + B_p)/n at once;
 *   - L(n) = log(4 X n(n+1)/delta) holds for all n at once (the sum of 1/(n(n+1)) is 1, two
 *     inequalities of two events each), so that no number of episodes has to be known;
 *   - the reward is known, hence has no bonus, and values are clipped at what it can still
 *     give instead of H-h+1, whatever --clip says;
 *   - counts are per step, as the algorithm inside RF-RL-Explore needs them; --pooled on
 *     counts all steps together, as in the paper;
 *   - ties prefer the larger value before clipping; --ties lowest is "any argmax";
 *   - --replan doubling plans only when a count has grown by the factor 1 + replan_growth.
 *
 * The paper bounds regret and certifies no policy. Plans are certified from the
 * counts alone (counts.h). */
#include "explore/tabular/euler.h"

#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "reward/reward.h"

/* --------------------------------------------------------------- initialise */

foray_status fy_euler_create(fy_arena *arena, const foray_model *model,
                             const foray_settings *settings, bool pooled, fy_euler *euler)
{
    euler->ctx = arena->ctx;
    euler->model = model;
    euler->settings = settings;
    foray_status status = fy_counts_create(arena, model, pooled, &euler->counts);
    if (status != FORAY_OK)
        return status;
    int64_t counted = euler->counts->layers * model->pairs;
    int64_t valued = (model->horizon + 1) * model->states;
    bool complete = FY_NEW(arena, euler->reward, model->horizon) &&
                    FY_NEW(arena, euler->left, model->horizon + 1) &&
                    FY_NEW(arena, euler->weight, counted) &&
                    FY_NEW(arena, euler->planned, counted) && FY_NEW(arena, euler->upper, valued) &&
                    FY_NEW(arena, euler->lower, valued) &&
                    FY_NEW(arena, euler->action, fy_policy_entries(model));
    euler->laws = fy_unstructured_pairs(model) * (double)model->horizon;
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* ------------------------------------------------------------- the recursion */

/* w = L(n)/(n-1). */
static void weigh(fy_euler *euler, int64_t at)
{
    const foray_model *model = euler->model;
    int64_t pair = at % model->pairs;
    double n = euler->counts->visits[at];
    bool known = model->succ_start[pair + 1] - model->succ_start[pair] == 1;
    double L = fy_log(4.0 * euler->laws * n * (n + 1.0) / euler->settings->delta);
    euler->weight[at] = known ? 0.0 : n < 2.0 ? INFINITY : L / (n - 1.0);
}

/* ||V_up - V_low||_{2,p^}. */
static double distance(const fy_euler *euler, int64_t t, int64_t pair)
{
    const foray_model *model = euler->model;
    const int32_t *next = model->succ + model->succ_start[pair];
    const double *followed = fy_counts_followed(euler->counts, t, pair);
    const double *upper = euler->upper + (t + 1) * model->states;
    const double *lower = euler->lower + (t + 1) * model->states;
    int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
    double sum = 0.0;
    for (int64_t j = 0; j < n; j++) {
        double apart = upper[next[j]] - lower[next[j]];
        sum += followed[j] * apart * apart;
    }
    return sqrt(sum / fy_counts_visits(euler->counts, t, pair));
}

/* sum_j p^_j V(s_j) + sign b(V), before clipping. */
static double future(const fy_euler *euler, int64_t t, int64_t pair, const double *value, int sign)
{
    double w = euler->weight[fy_counts_layer(euler->counts, t) * euler->model->pairs + pair];
    double range = euler->left[t + 1];
    fy_bonus_rule rule = {2.0, 7.0 / 3.0, euler->settings->radius_scale, NULL};
    if (range <= 0.0)
        return 0.0;
    if (isinf(w))
        return sign * INFINITY;
    fy_moments after = fy_counts_moments(euler->counts, t, pair, value);
    double apart = w > 0.0 ? rule.scale * sqrt(2.0 * w) * distance(euler, t, pair) : 0.0;
    return after.mean + fy_bonus(&rule, w, after.variance, range, sign) + sign * apart;
}

/* max_a Q_h(s,a): ties go to the larger value before clipping, if so set, then to the
 * lower index. */
static double best(const fy_euler *euler, int64_t t, int64_t s, int32_t *action)
{
    const foray_model *model = euler->model;
    const double *next = euler->upper + (t + 1) * model->states;
    bool by_raw = euler->settings->ties == FORAY_TIES_UNCLIPPED;
    double top = -1.0, top_raw = 0.0;
    for (int32_t a = 0; a < model->actions; a++) {
        int64_t pair = s * model->actions + a;
        if (!fy_available(model, pair))
            continue;
        double after = future(euler, t, pair, next, 1), r = euler->reward[t][pair];
        double clipped = r + fmin(euler->left[t + 1], after), raw = r + after;
        if (clipped > top || (by_raw && clipped == top && raw > top_raw)) {
            top = clipped;
            top_raw = raw;
            *action = a;
        }
    }
    return top;
}

static void plan_step(fy_euler *euler, int64_t t)
{
    const foray_model *model = euler->model;
    const double *next = euler->lower + (t + 1) * model->states;
    for (int64_t s = 0; s < model->states && !fy_stopped_at(euler->ctx, s); s++) {
        int64_t at = t * model->states + s;
        euler->upper[at] = best(euler, t, s, euler->action + at);
        int64_t pair = s * model->actions + euler->action[at];
        euler->lower[at] = euler->reward[t][pair] + fmax(0.0, future(euler, t, pair, next, -1));
    }
}

/* After the last step that can give something all values are 0. */
void fy_euler_plan(fy_euler *euler)
{
    for (int64_t t = euler->steps - 1; t >= 0; t--)
        plan_step(euler, t);
    memcpy(euler->planned, euler->counts->visits,
           (size_t)(euler->counts->layers * euler->model->pairs) * sizeof *euler->planned);
}

static void weigh_all(fy_euler *euler)
{
    for (int64_t at = 0; at < euler->counts->layers * euler->model->pairs; at++)
        weigh(euler, at);
}

/* Where there is nothing to gain: value 0, the first action. */
static void clear_values(fy_euler *euler)
{
    const foray_model *model = euler->model;
    size_t values = (size_t)((model->horizon + 1) * model->states);
    memset(euler->upper, 0, values * sizeof *euler->upper);
    memset(euler->lower, 0, values * sizeof *euler->lower);
    for (int64_t at = 0; at < fy_policy_entries(model); at++)
        euler->action[at] = fy_first_action(model, at % model->states);
}

void fy_euler_start(fy_euler *euler)
{
    fy_counts *counts = euler->counts;
    memset(counts->visits, 0,
           (size_t)(counts->layers * euler->model->pairs) * sizeof *counts->visits);
    memset(counts->followed, 0,
           (size_t)(counts->layers * counts->transitions) * sizeof *counts->followed);
    weigh_all(euler);
    clear_values(euler);
    fy_euler_plan(euler);
}

/* ------------------------------------------------------------------ episodes */

bool fy_euler_observe(fy_euler *euler, int64_t t, int64_t pair, int64_t j)
{
    int64_t at = fy_counts_layer(euler->counts, t) * euler->model->pairs + pair;
    double growth = 1.0 + euler->settings->replan_growth;
    fy_counts_add(euler->counts, t, pair, j);
    weigh(euler, at);
    return euler->settings->replan != FORAY_REPLAN_DOUBLING ||
           euler->counts->visits[at] >= growth * euler->planned[at];
}

/* ------------------------------------------------------------- save and load */

void fy_euler_write(const fy_euler *euler, fy_writer *writer)
{
    const foray_model *model = euler->model;
    fy_counts_write(euler->counts, writer);
    fy_write_i32s(writer, euler->action, (size_t)fy_policy_entries(model));
    fy_write_doubles(writer, euler->planned, (size_t)(euler->counts->layers * model->pairs));
}

/* The reader fails on plans made after more visits than there were. */
void fy_euler_read(fy_euler *euler, fy_reader *reader)
{
    fy_counts *counts = euler->counts;
    int64_t counted = counts->layers * euler->model->pairs;
    fy_counts_read(counts, reader);
    if (reader->failed)
        return;
    weigh_all(euler);
    clear_values(euler);
    fy_euler_plan(euler);
    fy_read_actions(reader, euler->model, euler->action, fy_policy_entries(euler->model));
    fy_read_doubles(reader, euler->planned, (size_t)counted);
    for (int64_t at = 0; at < counted && !reader->failed; at++)
        reader->failed = !(euler->planned[at] >= 0.0 && euler->planned[at] <= counts->visits[at]);
}

/* ---------------------------------------------------------- EULER on its own */

static foray_status euler_create(foray_explorer *explorer)
{
    fy_euler *euler;
    if (!FY_NEW(&explorer->arena, euler, 1))
        return FORAY_ERROR_MEMORY;
    explorer->self = euler;
    foray_status status = fy_euler_create(&explorer->arena, explorer->model, &explorer->settings,
                                          fy_counts_pooled(explorer), euler);
    explorer->followed = euler->action;
    return status;
}

/* Takes the tables of the reward that was given. Without one nothing can be gained. */
static void euler_aim(foray_explorer *explorer)
{
    fy_euler *euler = explorer->self;
    euler->steps = 0;
    if (!explorer->given)
        return;
    fy_reward_left(explorer->given, euler->left);
    for (int64_t t = 0; t < explorer->model->horizon; t++) {
        euler->reward[t] = explorer->given_table[t];
        euler->steps += euler->left[t] > 0.0;
    }
}

static void euler_begin_episode(foray_explorer *explorer)
{
    if (explorer->episodes > 0)
        return;
    euler_aim(explorer);
    fy_euler_start(explorer->self);
    fy_explorer_planned(explorer);
}

static void euler_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    explorer->stale |= fy_euler_observe(explorer->self, t, pair, j);
}

static void euler_end_episode(foray_explorer *explorer)
{
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_euler_plan(explorer->self);
    fy_explorer_planned(explorer);
}

static foray_status euler_plan(foray_explorer *explorer, int64_t count,
                               const foray_reward *const *rewards, foray_mode mode,
                               foray_policy **policies)
{
    const fy_euler *euler = explorer->self;
    return fy_certify_plan(explorer, euler->counts, NULL, mode, count, rewards, mode, policies);
}

static void euler_save(foray_explorer *explorer, fy_writer *writer)
{
    fy_euler_write(explorer->self, writer);
}

static void euler_load(foray_explorer *explorer, fy_reader *reader)
{
    euler_aim(explorer);
    fy_euler_read(explorer->self, reader);
}

static const foray_parameter parameters[] = {FY_COUNTS_ROWS};

const fy_explorer_ops fy_euler_ops = {
    .name = "euler",
    .plans_every_episode = true,
    .summary = "EULER (Zanette, Brunskill 2019): explores for one given reward, tabular",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = euler_create,
    .begin_episode = euler_begin_episode,
    .follows = true,
    .observe = euler_observe,
    .end_episode = euler_end_episode,
    .plan = euler_plan,
    .save = euler_save,
    .load = euler_load,
    .needs_budget = fy_never_needs_budget,
    .takes_reward = true,
};
