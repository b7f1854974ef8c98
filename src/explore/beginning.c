/* beginning.c - do the episodes that a world began begin as the model says?
 *
 * The n first states of the model, with the stated law mu, get a law of their own with the
 * Dirichlet(1/2) prior. With N_j episodes that began in state j and N their sum, the data grow
 * more probable under it than under mu by the factor
 *
 *     (N_j + 1/2)/(N + n/2) / mu_j      with every episode that begins in state j
 *
 * and the product is a nonnegative martingale that begins at 1 if mu is true. It is one more of
 * those whose mean certify/fit.h takes. An episode that begins elsewhere refutes mu at once.
 *
 * Recorded episodes may begin anywhere, queries are no episodes, and models of clusters have
 * sampled their law: there nobody asks. */
#include "base/maths.h"
#include "explore/explorer.h"

#include <float.h>
#include <math.h>

foray_status fy_explorer_prepare_beginnings(foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    if (!fy_explorer_acts(explorer->ops) || explorer->ops->query || model->initials == 0)
        return FORAY_OK;
    return FY_NEW(&explorer->arena, explorer->began, model->initials) ? FORAY_OK
                                                                      : FORAY_ERROR_MEMORY;
}

/* A sum of logarithms that never falls below -n (1 + log(1 + N)), where rounding is largest. */
static double rounded_by(const foray_explorer *explorer)
{
    double n = (double)explorer->model->initials, N = (double)explorer->beginnings;
    return 4 * DBL_EPSILON * N * (n * (1 + fy_log(1 + N)) + 16);
}

/* The first state whose share is farthest from what is stated, and that share. */
static void name_worst(const foray_explorer *explorer, foray_refutation *out)
{
    const foray_model *model = explorer->model;
    double worst = -INFINITY;
    for (int64_t j = 0; j < model->initials; j++) {
        double share = (double)explorer->began[j] / (double)explorer->beginnings;
        double apart = fabs(share - model->initial_probability[j]);
        if (apart > worst) {
            worst = apart;
            out->state = model->initial_state[j];
            out->estimate = share;
        }
    }
}

/* Does another episode that began in the j-th first state refute the stated law? */
static bool count_one(foray_explorer *explorer, int64_t j, foray_refutation *found)
{
    const foray_model *model = explorer->model;
    double before = (double)explorer->beginnings, n = (double)model->initials;
    double own = ((double)explorer->began[j]++ + 0.5) / (before + 0.5 * n);
    explorer->beginnings++;
    explorer->otherwise += fy_log(own / model->initial_probability[j]);
    found->evidence =
        explorer->otherwise - rounded_by(explorer) - fy_log(fy_fit_laws(explorer->fit, model));
    return found->evidence >= found->limit;
}

void fy_explorer_note_beginning(foray_explorer *explorer)
{
    foray_refutation found = {.refuted = true,
                              .episodes = explorer->episodes,
                              .evidence = INFINITY,
                              .limit = fy_fit_limit(),
                              .coordinate = -1,
                              .state = explorer->first,
                              .action = -1,
                              .next = -1};
    if (!explorer->began || explorer->through_clusters || explorer->begun.refuted)
        return;
    int64_t j = fy_model_find_initial(explorer->model, explorer->first);
    if (j >= 0 && (explorer->model->initials == 1 || !count_one(explorer, j, &found)))
        return;
    if (j >= 0)
        name_worst(explorer, &found);
    explorer->begun = found;
}

/* ------------------------------------------------------------- save and load */

static bool is_saved(const foray_explorer *explorer)
{
    return explorer->began && (explorer->model->initials > 1 || explorer->begun.refuted);
}

void fy_explorer_save_beginnings(const foray_explorer *explorer, fy_writer *writer)
{
    if (!is_saved(explorer))
        return;
    fy_write_u64s(writer, (const uint64_t *)explorer->began, (size_t)explorer->model->initials);
    fy_write_doubles(writer, &explorer->otherwise, 1);
    fy_refutation_save(&explorer->begun, writer);
}

void fy_explorer_load_beginnings(foray_explorer *explorer, fy_reader *reader)
{
    const foray_model *model = explorer->model;
    explorer->begun = (foray_refutation){.refuted = false};
    explorer->beginnings = 0;
    explorer->otherwise = 0;
    for (int64_t j = 0; explorer->began && j < model->initials; j++)
        explorer->began[j] = 0;
    if (!explorer->began || (model->initials == 1 && reader->at == reader->size))
        return;
    for (int64_t j = 0; j < model->initials && !reader->failed; j++) {
        uint64_t count = fy_read_u64(reader);
        reader->failed |= count > (uint64_t)explorer->episodes;
        explorer->began[j] = reader->failed ? 0 : (int64_t)count;
        explorer->beginnings += explorer->began[j];
    }
    fy_read_doubles(reader, &explorer->otherwise, 1);
    fy_refutation_load(&explorer->begun, reader);
}
