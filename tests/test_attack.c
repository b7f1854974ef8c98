/* test_attack.c - certificates against exact values: random worlds of every kind, every algorithm
 * with random settings, every mode, rewards of every kind, and both sets that certificates rest on.
 * Whatever says "certified" must be true.
 *
 * Without arguments a small slice, and a control: radii scaled down until certificates must be
 * seen to fail. `scripts/attack certificates` runs as much of it as one likes:
 *
 *   test_attack [--from SEED] [--runs N] [--certificates N] [--scale X] [--delta D]
 *               [--radius run|likelihood|both] [--show]
 *
 * Run number SEED is the same whoever runs it, so that a violation can be looked at again. In a
 * share delta of the runs the truth may lie outside its confidence set, and then a certificate may
 * be false. Likelihood sets and ellipsoids of regressions are looked at: while the truth is inside,
 * nothing may be false. Of bounds from counts nothing false is excused either. */
#include "explore/explorer.h"
#include "support_attack.h"
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct attack_options {
    int64_t from, runs, certificates;
    double scale, delta; /* delta 0: drawn */
    bool run, likelihood, show;
} attack_options;

typedef struct attack_score {
    int64_t runs, refused;
    int64_t certificates, gaps; /* all, and those about one choice against another */
    int64_t vacuous, optimal;   /* of the certificates */
    int64_t violations;         /* everything false, */
    int64_t unexcused;          /* and what of it was false although the truth was inside the set */
    int64_t violating;          /* runs with a violation */
    int64_t outside;            /* runs whose truth was seen outside a set */
    double expected, variance;  /* of violating runs, were delta used up */
    int64_t shown;
    double tightest; /* the largest share of a certificate that was lost */
} attack_score;

typedef struct attack {
    const attack_options *options;
    attack_score *score;
    foray_context *ctx;
    uint64_t seed;
    support_random random;
    attack_world world;
    foray_settings settings;
    char text[512];
    foray_reward *reward[ATTACK_REWARDS];
    double best[ATTACK_REWARDS];
    foray_explorer *explorer;
    bool excused;       /* the truth is outside the set in use */
    int64_t violations; /* of this run */
    int64_t outside;
} attack;

static const double rounding = 1e-10;

/* ------------------------------------------------------------------ judging */

/* left <= right, or it is a violation. Numbers that are missing promise nothing. */
static void demand(attack *it, double left, double right, const char *what, const char *of)
{
    if (isnan(left) || isnan(right) || left <= right + rounding)
        return;
    it->violations++;
    it->score->unexcused += !it->excused;
    if (it->options->show || (!it->excused && it->violations <= 2 && it->score->shown++ < 12))
        printf("violated: seed %lld episodes %lld: %s of %s: %.12g > %.12g\n  %s\n  %s\n",
               (long long)it->seed, (long long)it->explorer->episodes, what, of, left, right,
               it->world.text, it->text);
}

/* Does the certificate promise anything? Scaled radii, which promise nothing, are the control. */
static bool promises(const attack *it, const foray_certificate *certificate)
{
    return certificate->status == FORAY_CERTIFIED ||
           (it->options->scale < 1 && certificate->status == FORAY_HEURISTIC);
}

static void count(attack *it, const foray_certificate *certificate, double loss)
{
    attack_score *score = it->score;
    score->certificates++;
    score->gaps += certificate->radius == FORAY_RADIUS_LIKELIHOOD;
    score->vacuous += certificate->vacuous;
    score->optimal += certificate->optimal != FORAY_OPTIMAL_NO;
    if (certificate->gap > 1e-6)
        score->tightest = fmax(score->tightest, loss / certificate->gap);
}

/* V_low <= V^pi <= V_high, V* <= V_bar, V* - V^pi <= gap. */
static double judge_policy(attack *it, int r, const foray_policy *policy, const char *of)
{
    double value = attack_value(&it->world, it->reward[r], policy);
    double loss = it->best[r] - value;
    if (!promises(it, &policy->certificate))
        return loss;
    count(it, &policy->certificate, loss);
    demand(it, loss, policy->certificate.gap, "loss above the certificate", of);
    if (policy->high == 0)
        return loss; /* no interval was asked for */
    demand(it, policy->low, value, "low above the value", of);
    demand(it, value, policy->high, "value above high", of);
    return loss;
}

static void judge_plan(attack *it, int r, const foray_policy *policy, double bound)
{
    const char *of = foray_mode_name(policy->mode);
    double loss = judge_policy(it, r, policy, of);
    bool about_plugin = it->explorer->certificates == FORAY_RADIUS_LIKELIHOOD;
    if (policy->mode == (about_plugin ? FORAY_PLUGIN : FORAY_OPTIMISTIC))
        demand(it, loss, bound, "loss above the bound for all rewards", of);
    if (!promises(it, &policy->certificate))
        return;
    demand(it, it->best[r], policy->value[FORAY_OPTIMISTIC], "optimum above optimistic", of);
    demand(it, policy->value[FORAY_PESSIMISTIC],
           policy->mode == FORAY_PESSIMISTIC ? it->best[r] - loss : it->best[r],
           "pessimistic above the value", of);
}

/* ---------------------------------------------------------------- attacking */

/* Policies of nobody's making. */
static void attack_any_policy(attack *it)
{
    for (int r = 0; r < ATTACK_REWARDS; r++) {
        foray_policy *policy;
        support_ok(it->ctx, foray_policy_create(it->ctx, it->world.belief, FORAY_PLUGIN, &policy));
        for (int64_t i = 0; i < policy->horizon * policy->states; i++)
            policy->action[i] = (int32_t)support_below(&it->random, policy->actions);
        if (foray_explorer_certify(it->explorer, it->reward[r], policy) == FORAY_OK)
            judge_policy(it, r, policy, "any policy");
        foray_policy_destroy(policy);
    }
}

/* The bound for all rewards; INFINITY where there is none, or it promises nothing. */
static double bound_of(attack *it)
{
    foray_certificate all;
    if (foray_explorer_bound(it->explorer, FORAY_KIND_PAIR, &all) != FORAY_OK ||
        !promises(it, &all))
        return INFINITY;
    it->score->certificates++;
    return all.gap;
}

/* Plans for rewards first..first+count-1 together. */
static void attack_rewards_of(attack *it, int first, int count, double bound)
{
    const foray_reward *rewards[ATTACK_REWARDS];
    foray_policy *policy[ATTACK_REWARDS];
    for (int i = 0; i < count; i++)
        rewards[i] = it->reward[first + i];
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        foray_status status = foray_explorer_plan(it->explorer, count, rewards, mode, policy);
        if (status == FORAY_ERROR_USAGE)
            continue; /* not every algorithm has every mode, and every form */
        support_ok(it->ctx, status);
        for (int i = 0; i < count; i++) {
            judge_plan(it, first + i, policy[i], bound);
            foray_policy_destroy(policy[i]);
        }
    }
}

/* The bound for all rewards is about plain ones. */
static void attack_plans(attack *it)
{
    attack_rewards_of(it, 0, ATTACK_PLAIN, bound_of(it));
    for (int r = ATTACK_PLAIN; r < ATTACK_REWARDS; r++)
        attack_rewards_of(it, r, 1, INFINITY);
}

/* Is ||z* - z||_M <= beta in every block, with the truth's z*? */
static bool contains_truth(const attack *it, const fy_regression_set *set)
{
    const fy_basis *basis = it->explorer->model->basis;
    double z[64];
    for (int64_t g = 0; g < basis->blocks; g++) {
        const double *centre = set->z + set->ridge->at_vector[g];
        if (basis->block[g].dim == 0)
            continue;
        fy_basis_coordinates(basis, g, it->world.belief->theta, z);
        for (int32_t i = 0; i < basis->block[g].dim; i++)
            z[i] -= centre[i];
        if (fy_ridge_norm(set->ridge, g, z) > set->radius[g])
            return false;
    }
    return true;
}

/* Laws that are known directly, without an ellipsoid. */
static bool truth_is_likely(const attack *it, const fy_confidence *set)
{
    const double *theta = it->world.belief->theta;
    for (int64_t i = 0; i < it->explorer->model->generator_sets; i++)
        if (fy_confidence_divergence(set, i, theta) > set->width[i])
            return false;
    return true;
}

/* The same set about two centres: for plans, and for the bound for all rewards. */
static bool truth_is_inside(attack *it)
{
    fy_certifier *sets;
    support_ok(it->ctx, fy_explorer_sets(it->explorer, &sets));
    const fy_confidence *one = sets->set, *other = sets->inside;
    return truth_is_likely(it, one) &&
           contains_truth(it, &(fy_regression_set){one->ridge, one->z, one->radius}) &&
           contains_truth(it, &(fy_regression_set){other->ridge, other->z, other->radius});
}

/* The ellipsoids of a regression, where the run has them. */
static bool regression_holds(attack *it)
{
    fy_regression_set set;
    return !it->explorer->ops->regression || !it->explorer->ops->regression(it->explorer, &set) ||
           contains_truth(it, &set);
}

static void attack_now(attack *it)
{
    it->excused = false;
    if (it->options->run &&
        foray_explorer_certify_by(it->explorer, it->settings.radius) == FORAY_OK) {
        bool likelihood = it->settings.radius == FORAY_RADIUS_LIKELIHOOD;
        it->excused = likelihood ? !truth_is_inside(it) : !regression_holds(it);
        it->outside += it->excused;
        attack_plans(it);
    }
    if (it->options->likelihood &&
        foray_explorer_certify_by(it->explorer, FORAY_RADIUS_LIKELIHOOD) == FORAY_OK) {
        it->excused = !truth_is_inside(it);
        it->outside += it->excused;
        attack_plans(it);
        attack_any_policy(it);
    }
}

/* After 0, 1, 4, 16, ... episodes, and at the end. */
static void attack_run(attack *it)
{
    foray_world *world;
    support_ok(it->ctx, foray_world_from_model(it->ctx, it->world.truth, &world));
    for (int64_t next = 0, k = 0; k <= it->settings.episodes; k++) {
        if (k == next || k == it->settings.episodes) {
            attack_now(it);
            next = next == 0 ? 1 : 4 * next;
        }
        if (k < it->settings.episodes)
            support_ok(it->ctx, foray_explorer_play(it->explorer, world, NULL, NULL));
    }
    foray_world_destroy(world);
}

/* False where the algorithm refuses the model or the settings. */
static bool begin(attack *it)
{
    foray_status status =
        foray_explorer_create(it->ctx, it->world.belief, &it->settings, &it->explorer);
    if (status == FORAY_ERROR_USAGE || status == FORAY_ERROR_INPUT) {
        if (it->options->show)
            printf("refused: seed %lld: %s\n  %s\n  %s\n", (long long)it->seed,
                   foray_message(it->ctx), it->world.text, it->text);
        return false;
    }
    support_ok(it->ctx, status);
    if (foray_algorithm_needs_reward(it->settings.algorithm))
        support_ok(it->ctx,
                   foray_explorer_give_reward(
                       it->explorer, it->reward[support_below(&it->random, ATTACK_PLAIN)]));
    return true;
}

static void keep_score(attack *it)
{
    double delta = it->settings.delta;
    it->score->runs++;
    it->score->violations += it->violations;
    it->score->violating += it->violations > 0;
    it->score->outside += it->outside > 0;
    it->score->expected += delta;
    it->score->variance += delta * (1 - delta);
}

static void attack_seed(uint64_t seed, const attack_options *options, attack_score *score)
{
    attack it = {.options = options,
                 .score = score,
                 .ctx = foray_context_create(),
                 .seed = seed,
                 .random = {.seed = seed, .count = 1u << 20}};
    attack_world_make(it.ctx, seed, &it.world);
    it.settings = attack_settings(&it.random, it.text, sizeof it.text);
    it.settings.radius_scale = options->scale;
    it.settings.seed = (int64_t)(seed & 0xffffffff);
    if (options->delta > 0)
        it.settings.delta = options->delta;
    attack_rewards(it.ctx, &it.world, &it.random, it.reward);
    for (int r = 0; r < ATTACK_REWARDS; r++)
        it.best[r] = attack_value(&it.world, it.reward[r], NULL);
    if (begin(&it)) {
        attack_run(&it);
        keep_score(&it);
    } else {
        score->refused++;
    }
    foray_explorer_destroy(it.explorer);
    for (int r = 0; r < ATTACK_REWARDS; r++)
        foray_reward_destroy(it.reward[r]);
    attack_world_free(&it.world);
    foray_context_destroy(it.ctx);
}

/* How many runs may violate something, if every set misses the truth as often as it may. */
static double chance(const attack_score *score)
{
    return score->expected + 4 * sqrt(score->variance);
}

static bool holds(const attack_score *score)
{
    return score->unexcused == 0 && (double)score->outside <= chance(score);
}

static attack_score attack_all(const attack_options *options)
{
    attack_score score = {0};
    for (int64_t i = 0; i < options->runs && score.certificates < options->certificates; i++)
        attack_seed((uint64_t)(options->from + i), options, &score);
    /* One line that scripts add up. */
    printf("runs %lld refused %lld certificates %lld gaps %lld vacuous %lld optimal %lld "
           "violations %lld unexcused %lld violating %lld outside %lld chance %.1f tightest %.6f\n",
           (long long)score.runs, (long long)score.refused, (long long)score.certificates,
           (long long)score.gaps, (long long)score.vacuous, (long long)score.optimal,
           (long long)score.violations, (long long)score.unexcused, (long long)score.violating,
           (long long)score.outside, chance(&score), score.tightest);
    fflush(stdout);
    return score;
}

/* --------------------------------------------------------------------- main */

/* Certificates hold; with a radius of a thirtieth many are seen to fail. */
static int slice(void)
{
    attack_options fair = {.from = 1000, .runs = 200, .certificates = INT64_MAX, .scale = 1};
    fair.run = fair.likelihood = true;
    attack_options control = fair;
    control.scale = 0.03;
    control.runs = 60;
    attack_score good = attack_all(&fair), bad = attack_all(&control);
    bool right =
        holds(&good) && good.certificates > 10000 && bad.violations > 100 && bad.outside > 5;
    if (!right)
        puts("failed: no violation was expected in the first line, and many in the second");
    return right ? 0 : 1;
}

static double number_of(const char *text)
{
    double number = NAN;
    if (!text || !fy_number_read(text, strlen(text), &number)) {
        fprintf(stderr, "test_attack: expected a number\n");
        exit(2);
    }
    return number;
}

static void read_option(attack_options *options, const char *name, const char *value)
{
    if (strcmp(name, "--from") == 0)
        options->from = (int64_t)number_of(value);
    else if (strcmp(name, "--runs") == 0)
        options->runs = (int64_t)number_of(value);
    else if (strcmp(name, "--certificates") == 0)
        options->certificates = (int64_t)number_of(value);
    else if (strcmp(name, "--scale") == 0)
        options->scale = number_of(value);
    else if (strcmp(name, "--delta") == 0)
        options->delta = number_of(value);
    else if (strcmp(name, "--radius") == 0 && value) {
        options->run = strcmp(value, "likelihood") != 0;
        options->likelihood = strcmp(value, "run") != 0;
    } else {
        fprintf(stderr, "test_attack: no option %s\n", name);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    attack_options options = {.from = 1, .runs = INT64_MAX, .certificates = INT64_MAX, .scale = 1};
    options.run = options.likelihood = true;
    if (argc == 1)
        return slice();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0)
            options.show = true;
        else {
            read_option(&options, argv[i], argv[i + 1]);
            i++;
        }
    }
    attack_score score = attack_all(&options);
    return holds(&score) ? 0 : 1;
}
